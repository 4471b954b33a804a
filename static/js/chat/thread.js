// The turns on the page, in order, and the frames that change them.
import { freshenTimes } from "../dates.js";
import { decorate } from "../prose.js";
import { fetchFragment } from "../request.js";
import { wordsFrom } from "../words.js";
import { Turn } from "./turn.js";

const word = wordsFrom("chat-words");

const FETCH_AGAIN = [400, 1200, 3000];

/** `on`: changed() after each visible change, accepted(text, state, id), refused(pending, code), ready(). */
export class Thread {
  constructor(conversation, on) {
    this.conversation = conversation;
    this.on = on;
    this.list = document.getElementById("turns");
    this.turns = new Map();
    this.pending = new Map();
    this.unknown = new Map();
    this.gone = new Set();
    for (const element of this.list.querySelectorAll(".turn")) this.know(new Turn(element));
  }

  know(turn) {
    turn.stream.shown = () => this.on.changed();
    if (turn.id) this.turns.set(turn.id, turn);
    return turn;
  }

  get isBusy() {
    return this.pending.size > 0 || [...this.turns.values()].some((turn) => turn.isOpen && turn.element.isConnected);
  }

  get last() {
    const element = this.list.lastElementChild;
    return element && this.byElement(element);
  }

  byElement(node) {
    return this.turns.get(node.closest(".turn")?.dataset.turn);
  }

  /** Show what is being asked. `replaces` is a turn that leaves the page with all after it. */
  begin(frame, question, replaces = null) {
    const turn = this.know(Turn.create(question));
    const removed = replaces ? this.takeFrom(replaces.element) : [];
    if (replaces) turn.follows(replaces);
    this.list.append(turn.element);
    this.pending.set(frame.client_id, { frame, turn, question, removed, replaces });
    this.on.changed();
  }

  takeFrom(element) {
    const taken = [];
    for (let node = element; node; node = node.nextElementSibling) taken.push(node);
    taken.forEach((node) => node.remove());
    return taken;
  }

  /** Take back what has not arrived; gives it. */
  withdraw() {
    const [pending] = this.pending.values();
    if (!pending) return null;
    this.takeBack(pending);
    this.on.changed();
    return pending;
  }

  takeBack(pending) {
    this.pending.delete(pending.frame.client_id);
    pending.turn.element.replaceWith(...pending.removed);
  }

  /** Say of what is under way that it waits for a connection. */
  wait() {
    for (const { turn } of this.pending.values()) turn.say(word("waits"));
  }

  /** The frames that the server may not have seen: safe to send again under the same id. */
  unanswered() {
    return [...this.pending.values()].map((pending) => pending.frame);
  }

  apply(frame) {
    if (frame.type === "error") this.refuse(frame);
    else if (frame.type === "accepted" && this.pending.has(frame.client_id)) this.accept(frame);
    else if (frame.turn) this.route(frame);
    this.on.changed();
  }

  /** What is pending had arrived before: if it is not on the page already, another turn has taken its place. */
  known(frame) {
    const pending = this.pending.get(frame.client_id);
    if (!pending) return;
    this.takeBack(pending);
    this.on.accepted(pending.question, frame.state, frame.client_id);
    this.on.changed();
    if (!frame.state && !this.isBusy) this.on.ready();
  }

  accept({ client_id: clientId, turn: id, state }) {
    const { turn, question, removed } = this.pending.get(clientId);
    this.pending.delete(clientId);
    removed.forEach((element) => this.forget(element));
    const twin = this.turns.get(id);
    if (twin && twin !== turn) {
      turn.element.remove();
    } else {
      turn.accept(id, state);
      turn.showBranches(this.conversation);
      this.know(turn);
    }
    this.on.accepted(question, state, clientId);
  }

  forget(element) {
    this.gone.add(element.dataset.turn);
    this.turns.delete(element.dataset.turn);
  }

  refuse({ code, client_id: clientId }) {
    const key = this.pending.has(clientId) ? clientId : this.pending.keys().next().value;
    const pending = this.pending.get(key);
    if (pending) this.takeBack(pending);
    this.on.refused(pending, code);
  }

  route(frame) {
    if (this.gone.has(frame.turn)) return;
    const turn = this.turns.get(frame.turn);
    if (turn) this.change(turn, frame);
    else this.fetchLater(frame);
  }

  change(turn, frame) {
    if (frame.type === "context") turn.found(frame);
    else if (frame.type === "noticed") turn.notice(frame.memories);
    else if (frame.type === "delta") turn.write(frame);
    else if (frame.type === "done" && turn.isWaiting) this.renew(turn, frame);
    else if (frame.type === "done" && turn.isOpen) this.finish(turn, frame);
    else if (frame.type === "done") turn.finish(frame);
  }

  finish(turn, frame) {
    turn.finish(frame);
    this.on.ready();
  }

  // Only the server knows who of the people answered: the turn is shown as it stands there.
  async renew(turn, frame) {
    this.finish(turn, frame);
    try {
      const part = await fetchFragment(`/c/${this.conversation}/turns/${turn.id}/`);
      const element = part.querySelector(".turn");
      turn.element.replaceWith(element);
      freshenTimes(element);
      decorate(element);
      this.know(new Turn(element));
      this.on.changed();
    } catch {
      // What was said is there already; who said it is shown when the page is opened again.
    }
  }

  // Asked in another tab: the page has no question for it, so the server renders the turn.
  fetchLater(frame) {
    const waiting = this.unknown.get(frame.turn);
    if (waiting) {
      waiting.push(frame);
      return;
    }
    this.unknown.set(frame.turn, [frame]);
    this.fetchTurn(frame.turn);
  }

  async fetchTurn(id, attempt = 0) {
    try {
      const part = await fetchFragment(`/c/${this.conversation}/turns/${id}/`);
      this.insert(id, part.querySelector(".turn"));
    } catch {
      if (attempt < FETCH_AGAIN.length) setTimeout(() => this.fetchTurn(id, attempt + 1), FETCH_AGAIN[attempt]);
      else this.unknown.delete(id);
    }
  }

  insert(id, element) {
    const frames = this.unknown.get(id) ?? [];
    this.unknown.delete(id);
    if (!element || this.turns.has(id)) return;
    this.dropAfter(element.dataset.parent);
    this.list.append(element);
    freshenTimes(element);
    decorate(element);
    const turn = this.know(new Turn(element));
    frames.forEach((frame) => this.change(turn, frame));
    this.on.accepted(null);
    this.on.changed();
  }

  // The newest branch is the visible one: what hung on the same parent leaves the page.
  dropAfter(parent) {
    const before = this.turns.get(parent)?.element;
    const first = parent === "root" ? this.list.firstElementChild : before?.nextElementSibling;
    if (first) this.takeFrom(first).forEach((element) => this.forget(element));
  }
}

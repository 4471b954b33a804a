// One exchange on the page: the member's words, what was noticed, the answer.
import { shortDate, timeNow } from "../dates.js";
import { decorate } from "../prose.js";
import { wordsFrom } from "../words.js";
import { Stream } from "./stream.js";

const word = wordsFrom("chat-words");
const UNFINISHED = new Set(["sending", "running"]);

export class Turn {
  constructor(element) {
    this.element = element;
    this.context = new Map();
    this.stream = new Stream(this.part("answer"));
    if (!this.isOpen) this.stream.lastPiece = Infinity;
  }

  /** A turn that was just asked and has no id yet. */
  static create(question) {
    const copy = document.getElementById("turn-template").content.cloneNode(true);
    const turn = new Turn(copy.querySelector(".turn"));
    turn.part("question").textContent = question;
    turn.element.querySelector(".meta").prepend(timeNow());
    turn.say(word("sending"));
    return turn;
  }

  part(name) {
    return this.element.querySelector(`[data-${name}]`);
  }

  get id() { return this.element.dataset.turn; }
  get state() { return this.element.dataset.state; }
  get isOpen() { return UNFINISHED.has(this.state); }
  get question() { return this.part("question").textContent; }

  /** This turn took the place of `other`, which can still be read. */
  follows(other) {
    const [, count] = (other.part("place").textContent.match(/\d+ \/ (\d+)/) ?? [0, 1]).map(Number);
    this.part("place").textContent = `${count + 1} / ${count + 1}`;
    this.replaced = other.id;
  }

  showBranches(conversation) {
    if (!this.replaced) return;
    const earlier = this.part("earlier");
    earlier.href = `/c/${conversation}/branches/${this.replaced}/#t-${this.replaced}`;
    earlier.removeAttribute("role");
    earlier.removeAttribute("aria-disabled");
    this.part("branches").hidden = false;
  }

  say(text) {
    const status = this.part("status");
    status.textContent = text;
    status.hidden = !text;
  }

  accept(id, state = "running") {
    this.element.dataset.turn = id;
    this.element.id = `t-${id}`;
    this.element.dataset.state = state;
    this.say(state === "running" ? word("looking") : "");
    if (state === "waiting_human") this.wait();
  }

  // For a person: the assistant is silent until then.
  wait() {
    this.part("ended").hidden = false;
    this.part("ended-text").textContent = word("waiting-human");
    this.element.querySelectorAll("[data-again]").forEach((button) => { button.hidden = true; });
    this.part("unask").hidden = false;
  }

  get isWaiting() { return this.state === "waiting_human"; }

  found({ memories = [], sources = [], asked_before: before = [] }) {
    for (const source of [...memories, ...sources]) this.context.set(String(source.id), source);
    if (!this.isOpen) return;
    this.say(word("found", { n: memories.length + sources.length }));
    if (before.length) this.showBefore(before[0]);
  }

  showBefore({ turn, at, by, text, source }) {
    const line = this.part("before");
    const link = document.createElement("a");
    link.textContent = by === "me" ? word("asked-me", { date: shortDate(at) }) : word("asked-community", { title: text });
    link.href = by === "me" ? `/turns/${turn}/` : `/knowledge/${source}/`;
    line.replaceChildren(link);
    line.hidden = false;
  }

  notice(memories) {
    const list = this.element.querySelector(".noticed");
    for (const memory of memories) {
      if (list.querySelector(`[data-memory="${CSS.escape(memory.id)}"]`)) continue;
      list.append(noticedLine(memory));
    }
    list.hidden = !list.children.length;
  }

  write({ n, text }) {
    if (!this.stream.push(n, text)) return;
    this.say("");
  }

  finish({ html, state }) {
    this.stream.finish(html);
    this.element.dataset.state = state;
    this.say("");
    decorate(this.element);
    const ended = this.part("ended");
    ended.hidden = state === "answered";
    this.part("ended-text").textContent = word(state.replace("_", "-"));
    this.element.querySelectorAll("[data-again]").forEach((button) => { button.hidden = false; });
    this.part("unask").hidden = true;
    const asks = /[?？]\s*$/.test(this.question);
    this.part("unsure").hidden = !(asks && state === "answered" && this.context.size === 0);
  }
}

function noticedLine({ id, text, change }) {
  const line = document.createElement("li");
  line.dataset.memory = id;
  const said = document.createElement("span");
  said.textContent = `${word("noted")} ${text}`;
  line.append(said);
  if (change) line.append(" ", undoButton(change));
  return line;
}

function undoButton(change) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "act link";
  button.dataset.undo = change;
  button.textContent = word("undo");
  return button;
}

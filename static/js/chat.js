// The chat page: joins the connection, the turns, the composer and what stands around them.
import { listenForActions } from "./chat/actions.js";
import { Composer } from "./chat/composer.js";
import { Follow } from "./chat/follow.js";
import { listenForKeys } from "./chat/keys.js";
import { listenToMenu } from "./chat/menu.js";
import { Outbox } from "./chat/outbox.js";
import { Quote } from "./chat/quote.js";
import { Sidebar } from "./chat/sidebar.js";
import { Socket } from "./chat/socket.js";
import { Sources } from "./chat/sources.js";
import { Thread } from "./chat/thread.js";
import { Why } from "./chat/why.js";
import { wordsFrom } from "./words.js";

const boot = JSON.parse(document.getElementById("boot").textContent);
const word = wordsFrom("chat-words");
const live = document.getElementById("live");
const offline = document.querySelector("[data-offline]");
const forgetful = document.getElementById("forgetful");
let isNew = boot.is_new;
let isShut = false;
let withdrawn = null; // what was taken back last: it may have arrived all the same

const follow = new Follow();
const sidebar = new Sidebar(boot.conversation);
const outbox = new Outbox(boot.conversation);
const why = new Why(boot.conversation);
const thread = new Thread(boot.conversation, { changed, accepted, refused, ready });
new Sources(boot.conversation, thread);
const socket = new Socket(boot.ws_path, boot.last_seq, {
  frame: received,
  known: (frame) => thread.known(frame),
  open: opened,
  waiting,
  ended,
});
const composer = new Composer({
  key: isNew ? "new" : boot.conversation,
  max: boot.max_chars,
  send: (text, editing) => (editing ? edit(editing, text) : ask(text)),
  stop,
  editLast,
});
const quote = new Quote(thread, (text) => composer.quote(text));

// The same words again are the same question, for as long as it is not known whether they had arrived.
function ask(text) {
  const clientId = withdrawn?.question.trim() === text ? withdrawn.frame.client_id : newId();
  const frame = { type: "ask", client_id: clientId, text };
  if (isNew) Object.assign(frame, firstAsk());
  return start(frame, text);
}

// These are fixed by the first question of a conversation, and refused later.
function firstAsk() {
  const community = document.getElementById("community")?.value ?? boot.community;
  // The assistants on the page are those of the community that is open.
  const assistant = community === boot.community && document.getElementById("assistant")?.value;
  return { ...(community && { community }), ...(assistant && { assistant }), ...(forgetful?.checked && { memory: false }) };
}

function edit(turn, text) {
  return start({ type: "edit", turn: turn.id, client_id: newId(), text }, text, turn);
}

function editLast() {
  const turn = thread.last;
  if (!turn || thread.isBusy) return false;
  composer.edit(turn);
  return true;
}

function again(turn) {
  if (thread.isBusy) composer.tell(word("error-conflict"));
  else start({ type: "regenerate", turn: turn.id, client_id: newId() }, turn.question, turn);
}

function human(turn) {
  start({ type: "human", turn: turn.id, client_id: newId() }, turn.question);
}

function start(frame, text, replaces = null) {
  // Without a connection the frame waits for it: opened() sends whatever is unanswered.
  if (isShut) return false;
  withdrawn = null;
  if (!isNew) outbox.put(frame, text); // of a new conversation the draft stays instead
  thread.begin(frame, text, replaces);
  if (!socket.send(frame) && !socket.isOpening) thread.wait();
  follow.toEnd();
  say("answering");
  return true;
}

// What waits for a connection is taken back; what is being answered is stopped.
function stop() {
  if (socket.send({ type: "stop" })) return;
  const pending = thread.withdraw();
  if (!pending) return;
  outbox.drop(pending.frame.client_id);
  if (pending.frame.type !== "regenerate") {
    composer.restore(pending.question);
    withdrawn = pending;
  }
  say("");
}

function received(frame) {
  if (frame.type === "accepted" && frame.client_id === withdrawn?.frame.client_id) arrived();
  thread.apply(frame);
}

// What was taken back stands in the conversation, so it is not left to be sent once more.
function arrived() {
  const { question, frame } = withdrawn;
  withdrawn = null;
  if (!composer.editing && composer.text.value.trim() === question.trim()) composer.set("");
  accepted(question, "", frame.client_id);
}

// Asked before a reload, and not known to have arrived; if it has, the same id changes nothing.
function resend() {
  for (const { frame, text } of outbox.all) {
    const replaces = frame.type === "ask" ? null : thread.turns.get(frame.turn);
    thread.begin(frame, text, frame.type === "human" ? null : replaces);
    if (composer.text.value.trim() === text.trim()) composer.set("");
  }
}

function accepted(question, state = "", clientId = "") {
  outbox.drop(clientId);
  document.querySelector("[data-start]")?.remove();
  if (state) say(state.replace("_", "-"));
  if (question === null) return;
  composer.sent();
  if (!isNew) return;
  isNew = false;
  history.replaceState(null, "", `/c/${boot.conversation}/`);
  composer.moveTo(boot.conversation);
  sidebar.add(question);
  const choices = document.querySelector("[data-new-only]");
  if (choices) choices.hidden = true;
}

function refused(pending, code) {
  say("");
  if (pending) outbox.drop(pending.frame.client_id);
  if (pending && ["ask", "edit"].includes(pending.frame.type)) composer.restore(pending.question);
  if (pending?.frame.type === "edit") composer.edit(pending.replaces);
  composer.tell(word(`error-${code.replaceAll("_", "-")}`) || word("error-bad-request"));
}

function changed() {
  composer.setBusy(thread.isBusy);
  const empty = document.querySelector("[data-start]");
  if (empty) empty.hidden = thread.isBusy || thread.turns.size > 0;
  follow.keep();
}

function ready() {
  say("ready");
  sidebar.markSeen();
}

function say(name) {
  live.textContent = name && word(name);
}

function opened() {
  offline.hidden = true;
  composer.tell("");
  thread.unanswered().forEach((frame) => socket.send(frame));
}

// The first moments without a connection are not worth a bar.
function waiting(seconds) {
  offline.hidden = socket.failures < 2 && navigator.onLine;
  if (!offline.hidden) thread.wait();
  tellOffline(seconds ? word("offline", { s: seconds }) : word("connecting"));
}

function ended(code) {
  if (code === 4401) {
    location.assign(`/accounts/login/?next=${encodeURIComponent(location.pathname)}`);
    return;
  }
  isShut = true;
  offline.hidden = false;
  document.querySelector("[data-reconnect]").hidden = true;
  tellOffline(word("no-rights"));
  composer.setBusy(false);
}

function tellOffline(text) {
  document.querySelector("[data-offline-text]").textContent = text;
}

// A citation opens the conversation where it was said; anything else opens at the end.
function openAt(id) {
  const turn = id && document.getElementById(id);
  if (turn) follow.stopAt(turn);
  else if (thread.turns.size) follow.toEnd();
}

/** A key that does what a button under the last answer does. */
function press(name) {
  return () => {
    const buttons = thread.last?.element.querySelectorAll(`.acts [data-${name}]:not([hidden])`) ?? [];
    for (const button of buttons) button.click();
  };
}

function showForgetful() {
  document.getElementById("main").classList.toggle("forgetful", forgetful.checked);
}

function suggested(event) {
  const button = event.target.closest("[data-suggestion]");
  if (!button || thread.isBusy) return;
  if (!ask(button.textContent.trim())) composer.restore(button.textContent.trim());
}

// crypto.randomUUID is missing on plain http from another machine.
function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (c) =>
    (c ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (c / 4)))).toString(16));
}

listenForActions(thread, { why: (button) => why.toggle(button), again, edit: (turn) => composer.edit(turn), human,
  quote: (turn) => quote.of(turn), unask: () => socket.send({ type: "stop" }) });
listenForKeys({ n: () => location.assign("/"), "/": () => sidebar.search(), i: () => composer.focus(), s: stop,
  q: () => quote.of(thread.last), c: press("copy"), r: press("again"), w: press("why") });
listenToMenu(boot.conversation, sidebar, (text) => composer.tell(text));
document.addEventListener("click", suggested);
document.querySelector("[data-reconnect]").addEventListener("click", () => socket.connectNow());
document.addEventListener("visibilitychange", () => document.hidden && sidebar.markSeen());
forgetful?.addEventListener("change", showForgetful);
resend();
socket.connect();
changed();
openAt(location.hash.slice(1));
if (matchMedia("(hover: hover)").matches && !location.hash) composer.focus();

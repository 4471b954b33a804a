// The box one writes in: it grows, keeps its draft, and never loses text.
import { read, write } from "../storage.js";
import { wordsFrom } from "../words.js";

const word = wordsFrom("chat-words");
const COUNT_FROM = 0.9;

export class Composer {
  /** `send(text, editing)` gives true when the text is on its way; `editLast()`, when there was something to edit. */
  constructor({ key, max, send, stop, editLast }) {
    this.key = `kith:draft:${key}`;
    this.max = max;
    this.sendText = send;
    this.editLast = editLast;
    this.form = document.getElementById("composer");
    this.text = document.getElementById("text");
    this.count = document.getElementById("count");
    this.problem = document.getElementById("problem");
    this.sendButton = this.form.querySelector("[data-send]");
    this.stopButton = this.form.querySelector("[data-stop]");
    this.banner = this.form.querySelector("[data-editing]");
    this.editing = null;
    this.busy = false;
    this.listen(stop);
    this.set(this.text.value || read(this.key) || "");
  }

  listen(stop) {
    this.text.addEventListener("input", () => this.changed());
    this.text.addEventListener("keydown", (event) => this.pressed(event));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.stopButton.addEventListener("click", stop);
    this.form.querySelector("[data-cancel-edit]").addEventListener("click", () => this.cancelEdit());
  }

  // Enter that confirms a candidate of an input method must not send; 229 is what older ones report.
  pressed(event) {
    if (event.key === "Escape" && this.editing) {
      event.preventDefault();
      this.cancelEdit();
    }
    if (event.key === "ArrowUp" && !this.text.value && !event.isComposing && this.editLast()) event.preventDefault();
    if (event.key !== "Enter" || event.shiftKey) return;
    if (event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    this.submit();
  }

  submit() {
    const text = this.text.value.trim();
    if (!text || this.busy || this.isTooLong) return;
    const editing = this.editing;
    if (this.sendText(text, editing)) this.clear();
  }

  get isTooLong() {
    return this.length > this.max;
  }

  get length() {
    return [...this.text.value].length;
  }

  changed() {
    this.tell("");
    if (!this.editing) write(this.key, this.text.value);
    this.measure();
    this.grow();
  }

  measure() {
    const n = this.length;
    const over = n > this.max;
    this.count.textContent = n < this.max * COUNT_FROM ? "" : word(over ? "over" : "count", { n, max: this.max });
    this.count.classList.toggle("over", over);
    this.sendButton.disabled = over;
  }

  grow() {
    if (CSS.supports("field-sizing", "content")) return;
    this.text.style.height = "auto";
    this.text.style.height = `${this.text.scrollHeight}px`;
  }

  set(text) {
    this.text.value = text;
    this.measure();
    this.grow();
  }

  // The stored draft goes only when the server has accepted the text.
  clear() {
    this.editing = null;
    this.banner.hidden = true;
    this.set("");
    this.tell("");
  }

  sent() {
    write(this.key, this.text.value);
  }

  moveTo(key) {
    write(this.key, null);
    this.key = `kith:draft:${key}`;
    this.sent();
  }

  restore(text) {
    if (!this.text.value.trim()) this.set(text);
    else if (this.text.value.trim() !== text) this.set(`${text}\n\n${this.text.value}`);
    if (!this.editing) write(this.key, this.text.value);
  }

  /** Words of an answer before what is already written; one goes on behind them. */
  quote(quoted) {
    const written = this.text.value.trimEnd();
    this.set(`${written ? `${written}\n\n` : ""}${quoted}\n\n`);
    this.changed();
    this.focus();
  }

  tell(problem) {
    this.problem.textContent = problem;
  }

  edit(turn) {
    this.editing = turn;
    this.banner.hidden = false;
    this.set(turn.question);
    this.focus();
  }

  cancelEdit() {
    this.clear();
    this.set(read(this.key) ?? "");
    this.focus();
  }

  focus() {
    this.text.focus();
    this.text.setSelectionRange(this.text.value.length, this.text.value.length);
  }

  setBusy(busy) {
    const hadFocus = this.form.contains(document.activeElement) && document.activeElement !== this.text;
    this.busy = busy;
    this.sendButton.hidden = busy;
    this.stopButton.hidden = !busy;
    if (hadFocus && document.activeElement === document.body) this.text.focus();
  }
}

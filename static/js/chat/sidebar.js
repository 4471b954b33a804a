// The list of conversations: fold, find, unread dots, a new entry.
import { read, write } from "../storage.js";
import { wordsFrom } from "../words.js";

const word = wordsFrom("chat-words");
const NARROW = matchMedia("(max-width: 60rem)");
const root = document.documentElement;
const TITLE_LENGTH = 80;

export class Sidebar {
  constructor(conversation) {
    this.conversation = conversation;
    this.element = document.getElementById("sidebar");
    this.list = this.element.querySelector("[data-conversations]");
    this.toggleButton = document.querySelector("[data-sidebar-toggle]");
    this.toggleButton.addEventListener("click", () => this.toggle());
    this.element.querySelector("[data-sidebar-close]").addEventListener("click", () => this.toggle(false));
    this.element.querySelector("#find").addEventListener("input", (event) => this.find(event.target.value));
    document.addEventListener("keydown", (event) => this.isSheet && event.key === "Escape" && this.toggle(false));
    document.addEventListener("pointerdown", (event) => this.isSheet && event.target.id === "chat" && this.toggle(false));
    NARROW.addEventListener("change", () => this.settle());
    this.tellState();
    this.markSeen();
    this.markUnread();
  }

  get isSheet() { return root.dataset.sheet === "open" && NARROW.matches; }
  get isOpen() { return NARROW.matches ? root.dataset.sheet === "open" : root.dataset.sidebar !== "folded"; }

  toggle(open = !this.isOpen) {
    if (NARROW.matches) this.openSheet(open);
    else {
      delete root.dataset.sheet;
      root.dataset.sidebar = open ? "" : "folded";
      write("kith:sidebar", open ? null : "folded");
      if (!open) this.toggleButton.focus();
    }
    this.tellState();
  }

  // The window has become wide or narrow: the sheet goes, the focus stays where it is.
  settle() {
    delete root.dataset.sheet;
    document.getElementById("main").inert = false;
    this.tellState();
  }

  openSheet(open) {
    root.dataset.sheet = open ? "open" : "";
    document.getElementById("main").inert = open;
    if (open) this.element.querySelector("a").focus();
    else this.toggleButton.focus();
  }

  tellState() {
    this.toggleButton.setAttribute("aria-expanded", String(this.isOpen));
  }

  find(text) {
    const wanted = text.trim().toLowerCase();
    let any = false;
    for (const group of this.list.querySelectorAll("[data-group]")) {
      let some = false;
      for (const item of group.querySelectorAll("li")) {
        item.hidden = !item.textContent.toLowerCase().includes(wanted);
        some ||= !item.hidden;
      }
      group.hidden = !some;
      any ||= some;
    }
    this.list.querySelector("[data-no-match]").hidden = any || !wanted;
  }

  /** Remember that the member has seen everything here up to now. */
  markSeen() {
    const link = this.link(this.conversation);
    const at = Math.max(Date.now(), Date.parse(link?.dataset.at) || 0);
    write(`kith:seen:${this.conversation}`, String(at));
  }

  markUnread() {
    for (const link of this.list.querySelectorAll("a[data-id]")) {
      const seen = Number(read(`kith:seen:${link.dataset.id}`));
      if (seen && Date.parse(link.dataset.at) > seen) link.dataset.unread = "";
    }
  }

  link(id) {
    return this.list.querySelector(`a[data-id="${CSS.escape(id)}"]`);
  }

  rename(title) {
    const link = this.link(this.conversation);
    if (!link) return;
    link.title = title;
    link.querySelector("span").textContent = title;
  }

  /** Open the list, and find. */
  search() {
    if (!this.isOpen) this.toggle(true);
    this.element.querySelector("#find").focus();
  }

  add(question) {
    if (this.link(this.conversation)) return;
    const title = [...question.split("\n")[0]].slice(0, TITLE_LENGTH).join("") || word("untitled");
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `/c/${this.conversation}/`;
    link.dataset.id = this.conversation;
    link.title = title;
    link.setAttribute("aria-current", "page");
    const span = document.createElement("span");
    span.textContent = title;
    link.append(span);
    item.append(link);
    this.todayList().prepend(item);
    this.list.querySelector("[data-none]").hidden = true;
    document.querySelector("[data-title]").textContent = title;
  }

  todayList() {
    const first = this.list.querySelector("[data-group]");
    if (first?.querySelector("h2").textContent.trim() === word("today")) return first.querySelector("ul");
    const group = document.createElement("section");
    group.dataset.group = "";
    const heading = document.createElement("h2");
    heading.textContent = word("today");
    const list = document.createElement("ul");
    list.className = "links";
    group.append(heading, list);
    this.list.prepend(group);
    return list;
  }
}

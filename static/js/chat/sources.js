// The small window over a citation: what was said, when and where.
import { freshenTimes } from "../dates.js";
import { fetchFragment } from "../request.js";
import { wordsFrom } from "../words.js";

const word = wordsFrom("chat-words");
const OPEN_AFTER = 150;
const CLOSE_AFTER = 250;
const GAP = 8;

export class Sources {
  constructor(conversation, thread) {
    this.conversation = conversation;
    this.thread = thread;
    this.window = document.getElementById("source");
    this.loaded = new Map();
    this.chip = null;
    this.timer = 0;
    this.listen();
  }

  listen() {
    const list = this.thread.list;
    list.addEventListener("pointerover", (event) => this.hovered(event, event.target.closest(".cite")));
    list.addEventListener("pointerout", (event) => event.target.closest(".cite") && this.closeSoon());
    list.addEventListener("focusin", (event) => this.focused(event.target.closest(".cite")));
    list.addEventListener("click", (event) => this.clicked(event));
    this.window.addEventListener("pointerenter", () => clearTimeout(this.timer));
    this.window.addEventListener("pointerleave", () => this.closeSoon());
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.escape(event));
    document.addEventListener("pointerdown", (event) => this.outside(event.target) && this.close());
    document.addEventListener("focusin", (event) => this.outside(event.target) && this.close());
    document.querySelector("[data-scroller]").addEventListener("scroll", () => this.place(), { passive: true });
  }

  hovered(event, chip) {
    if (event.pointerType === "touch" || !chip) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(chip), OPEN_AFTER);
  }

  focused(chip) {
    if (chip?.matches(":focus-visible")) this.open(chip);
  }

  // A tap or a click stays on the page; the window itself has the link that leaves it.
  clicked(event) {
    const chip = event.target.closest(".cite");
    if (!chip || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.open(chip);
    this.pinned = true;
    if (event.detail === 0) this.window.focus();
  }

  outside(target) {
    return this.chip && !this.window.contains(target) && !this.chip.contains(target);
  }

  closeSoon() {
    clearTimeout(this.timer);
    if (!this.pinned) this.timer = setTimeout(() => this.close(), CLOSE_AFTER);
  }

  escape(event) {
    if (!this.chip) return;
    event.preventDefault();
    const { chip } = this;
    const within = this.window.contains(document.activeElement);
    this.close();
    if (within) chip.focus({ focusVisible: false });
  }

  close() {
    clearTimeout(this.timer);
    this.chip?.setAttribute("aria-expanded", "false");
    this.chip = null;
    this.pinned = false;
    this.window.hidden = true;
  }

  async open(chip) {
    if (this.chip === chip) return;
    this.close();
    this.chip = chip;
    chip.setAttribute("aria-expanded", "true");
    chip.setAttribute("aria-controls", "source");
    this.show(this.atHand(chip));
    const content = await this.load(chip);
    if (this.chip === chip) this.show(content);
  }

  show(content) {
    this.window.replaceChildren(content);
    freshenTimes(this.window);
    this.window.hidden = false;
    this.place();
  }

  /** What the page already knows, until the server's own words are here. */
  atHand(chip) {
    const known = this.thread.byElement(chip)?.context.get(chip.dataset.source);
    if (!known) return document.getElementById("loading-template").content.cloneNode(true);
    const line = document.createElement("p");
    line.textContent = known.text ?? known.title ?? "";
    return line;
  }

  async load(chip) {
    const turn = chip.closest(".turn").dataset.turn;
    const url = `/c/${this.conversation}/turns/${turn}/sources/${encodeURIComponent(chip.dataset.source)}/`;
    if (!this.loaded.has(url)) this.loaded.set(url, fetchFragment(url));
    try {
      return (await this.loaded.get(url)).cloneNode(true);
    } catch {
      this.loaded.delete(url);
      return document.createTextNode(word("source-failed"));
    }
  }

  place() {
    if (!this.chip) return;
    const at = this.chip.getBoundingClientRect();
    const box = this.window.getBoundingClientRect();
    const left = Math.min(Math.max(12, at.left - 24), innerWidth - box.width - 12);
    const below = at.bottom + GAP;
    const fits = below + box.height < innerHeight;
    this.window.style.left = `${left}px`;
    this.window.style.top = `${fits ? below : Math.max(GAP, at.top - GAP - box.height)}px`;
  }
}

// Words of an answer, put into the box as a quote: those that are selected, or all of it.
import { plainText } from "../prose.js";

const LONGEST = 1000;
const GAP = 6;

export class Quote {
  /** `put(text)` writes the quote into the box. */
  constructor(thread, put) {
    this.thread = thread;
    this.put = put;
    this.button = document.querySelector("[data-quote-selected]");
    document.addEventListener("selectionchange", () => this.place());
    document.querySelector("[data-scroller]").addEventListener("scroll", () => this.place(), { passive: true });
    // A press would take the selection away before it is read.
    this.button.addEventListener("pointerdown", (event) => event.preventDefault());
    this.button.addEventListener("click", () => this.of(this.thread.last));
  }

  /** The selected range, if it lies in one answer. */
  get range() {
    const selection = getSelection();
    if (selection.isCollapsed || !selection.rangeCount) return null;
    const range = selection.getRangeAt(0);
    const { commonAncestorContainer: node } = range;
    const within = (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest("[data-answer]");
    return within && this.thread.list.contains(within) ? range : null;
  }

  place() {
    const { range } = this;
    this.button.hidden = !range;
    if (!range) return;
    const at = range.getBoundingClientRect();
    const { width, height } = this.button.getBoundingClientRect();
    this.button.style.left = `${Math.min(Math.max(GAP, at.left), innerWidth - width - GAP)}px`;
    this.button.style.top = `${Math.max(GAP, at.top - height - GAP)}px`;
  }

  of(turn) {
    const { range } = this;
    const text = range ? plainText(held(range)) : turn && plainText(turn.part("answer"));
    if (!text) return;
    getSelection().removeAllRanges();
    const letters = [...text];
    const short = letters.length > LONGEST ? `${letters.slice(0, LONGEST).join("")}…` : text;
    this.put(short.replace(/\n{3,}/g, "\n\n").split("\n").map((line) => `> ${line}`.trimEnd()).join("\n"));
  }
}

function held(range) {
  const holder = document.createElement("div");
  holder.append(range.cloneContents());
  return holder;
}

// Text that arrives in many small pieces, shown once per frame of the screen.

export class Stream {
  constructor(node) {
    this.node = node;
    this.waiting = "";
    this.lastPiece = -1;
    this.scheduled = 0;
    this.paragraph = null;
  }

  /** `n` counts the pieces of one answer; one that was seen is ignored. False if it was. */
  push(n, text) {
    if (n <= this.lastPiece) return false;
    this.lastPiece = n;
    this.waiting += text;
    this.schedule();
    return true;
  }

  schedule() {
    if (this.scheduled) return;
    const show = () => this.show();
    // A hidden tab gets no animation frames, yet its text must not fall behind.
    this.scheduled = document.hidden ? setTimeout(show, 250) : requestAnimationFrame(show);
  }

  show() {
    this.scheduled = 0;
    this.node.classList.add("streaming");
    const parts = this.waiting.split(/\n{2,}/);
    this.waiting = "";
    parts.forEach((part, index) => this.append(part, index > 0));
    this.shown?.();
  }

  // Each paragraph is laid out by itself: a long answer costs the browser its last lines only.
  append(text, fresh) {
    if (fresh || !this.paragraph) {
      this.paragraph = document.createElement("p");
      this.node.append(this.paragraph);
    }
    if (text) this.paragraph.append(document.createTextNode(text));
  }

  /** Put the finished answer in the place of the streamed text; without one the text stays. */
  finish(html) {
    cancelAnimationFrame(this.scheduled);
    clearTimeout(this.scheduled);
    if (html) {
      this.node.classList.remove("streaming");
      this.node.innerHTML = html;
    } else if (this.waiting) {
      this.show();
    }
    this.lastPiece = Infinity;
  }
}

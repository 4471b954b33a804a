// Keeps the newest text in sight, unless the reader has scrolled away.
const NEAR = 80;

export class Follow {
  constructor() {
    this.scroller = document.querySelector("[data-scroller]");
    this.button = document.querySelector("[data-to-end]");
    this.following = this.scroller.querySelector(".turn") !== null;
    this.scroller.addEventListener("scroll", () => this.look(), { passive: true });
    this.button.addEventListener("click", () => this.toEnd());
    new ResizeObserver(() => this.keep()).observe(this.scroller);
  }

  get distance() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    return scrollHeight - scrollTop - clientHeight;
  }

  look() {
    this.following = this.distance < NEAR;
    this.offer();
  }

  keep() {
    if (this.following) this.scroller.scrollTop = this.scroller.scrollHeight;
    else this.offer();
  }

  /** The way back to the end, where there is one. */
  offer() {
    this.button.hidden = this.distance < NEAR || !this.scroller.querySelector(".turn");
  }

  stopAt(element) {
    this.following = false;
    element.scrollIntoView();
  }

  toEnd() {
    this.following = true;
    this.keep();
    this.button.hidden = true;
  }
}

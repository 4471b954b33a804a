// The side panel that shows where an answer came from.
import { freshenTimes } from "../dates.js";
import { fetchFragment } from "../request.js";

const WIDE = matchMedia("(min-width: 75rem)");

export class Why {
  constructor(conversation) {
    this.conversation = conversation;
    this.panel = document.getElementById("why");
    this.body = this.panel.querySelector("[data-panel-body]");
    this.button = null;
    this.panel.querySelector("[data-panel-close]").addEventListener("click", () => this.panel.close());
    this.panel.addEventListener("close", () => this.closed());
    this.panel.addEventListener("click", (event) => event.target === this.panel && this.panel.close());
    this.panel.addEventListener("keydown", (event) => event.key === "Escape" && this.panel.close());
    WIDE.addEventListener("change", () => this.panel.open && this.show());
    this.body.addEventListener("click", (event) => event.target.closest("[data-retry]") && this.load());
  }

  toggle(button) {
    if (this.button === button) {
      this.panel.close();
      return;
    }
    this.button?.setAttribute("aria-expanded", "false");
    this.button = button;
    button.setAttribute("aria-expanded", "true");
    this.show();
    document.getElementById("why-title").focus();
    this.load();
  }

  // Beside the talk where there is room, over it where there is none; a dialog can't change its kind while open.
  show() {
    if (this.panel.open) this.panel.close();
    if (WIDE.matches) this.panel.show();
    else this.panel.showModal();
  }

  async load() {
    const { button } = this;
    const turn = button.closest(".turn").dataset.turn;
    this.body.replaceChildren(copyOf("loading-template"));
    let part;
    try {
      part = await fetchFragment(`/c/${this.conversation}/turns/${turn}/why/`);
    } catch {
      part = copyOf("error-template");
    }
    if (this.button !== button) return;
    this.body.replaceChildren(part);
    freshenTimes(this.body);
    window.htmx?.process(this.body);
  }

  // The event comes late: by then the panel may be open again, for another answer or in another place.
  closed() {
    if (this.panel.open) return;
    const { button } = this;
    this.button = null;
    this.body.replaceChildren();
    button?.setAttribute("aria-expanded", "false");
    button?.focus();
  }
}

function copyOf(id) {
  return document.getElementById(id).content.cloneNode(true);
}

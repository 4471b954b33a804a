// What every page does: dates, the theme, menus, code that can be copied, requests that fail.
import { freshenTimes } from "./dates.js";
import { copyText, decorate } from "./prose.js";
import { read, write } from "./storage.js";
import { wordsFrom } from "./words.js";

const word = wordsFrom("words");

function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  write("kith:theme", root.dataset.theme);
}

// Where a bar of links is wider than the page, the one that is open is in sight.
function showCurrent() {
  const bar = document.querySelector(".desks");
  const current = bar?.querySelector("[aria-current]");
  if (current && bar.scrollWidth > bar.clientWidth) {
    bar.scrollLeft = current.offsetLeft - (bar.clientWidth - current.offsetWidth) / 2;
  }
}

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (menu !== except) menu.open = false;
  }
}

function tellFailure() {
  const note = document.createElement("p");
  note.className = "note error";
  note.setAttribute("role", "alert");
  note.textContent = word("failed");
  document.getElementById("messages").replaceChildren(note);
  setTimeout(() => note.remove(), 6000);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  closeMenus(event.target.closest("details.menu"));
  if (button?.matches("[data-theme-switch]")) switchTheme();
  if (button?.matches("[data-copy-code]")) copyText(button.closest(".code").querySelector("pre").textContent, button);
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.querySelector("details.menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

document.addEventListener("htmx:responseError", tellFailure);
document.addEventListener("htmx:sendError", tellFailure);
document.addEventListener("htmx:load", (event) => {
  freshenTimes(event.target);
  decorate(event.target.parentElement ?? document);
});
addEventListener("storage", (event) => {
  if (event.key === "kith:theme") document.documentElement.dataset.theme = read("kith:theme") ?? "";
});

freshenTimes();
decorate(document);
showCurrent();
setInterval(() => freshenTimes(), 60_000);

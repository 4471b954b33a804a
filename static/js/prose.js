// What long text needs once it is on the page: tables and code that scroll on their own.
import { wordsFrom } from "./words.js";

const word = wordsFrom("words");

export function decorate(root) {
  for (const table of root.querySelectorAll(".prose table")) wrapTable(table);
  for (const pre of root.querySelectorAll(".prose pre")) wrapCode(pre);
}

function wrapTable(table) {
  if (table.closest(".scroll-x")) return;
  const box = document.createElement("div");
  box.className = "scroll-x";
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", word("table"));
  table.replaceWith(box);
  box.append(table);
}

function wrapCode(pre) {
  if (pre.closest(".code")) return;
  const box = document.createElement("div");
  const top = document.createElement("div");
  const { language } = pre.dataset;
  box.className = "code";
  top.className = "top";
  top.append(language ?? "", copyButton());
  pre.tabIndex = 0;
  pre.setAttribute("role", "region");
  pre.setAttribute("aria-label", language ? `${word("code")}: ${language}` : word("code"));
  pre.replaceWith(box);
  box.append(top, pre);
}

function copyButton() {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "act";
  button.dataset.copyCode = "";
  button.textContent = word("copy");
  return button;
}

/** The text of an answer as somebody would paste it: without chips and buttons. */
export function plainText(prose) {
  const copy = prose.cloneNode(true);
  copy.querySelectorAll(".cite, button, .code .top").forEach((node) => node.remove());
  copy.querySelectorAll("math").forEach((node) => node.replaceWith(` ${node.getAttribute("alttext")} `));
  copy.className = "prose";
  const stage = document.createElement("div");
  stage.className = "visually-hidden";
  stage.setAttribute("aria-hidden", "true");
  stage.append(copy);
  document.body.append(stage);
  copy.style.whiteSpace = prose.classList.contains("streaming") ? "pre-wrap" : "normal";
  const text = copy.innerText.trim();
  stage.remove();
  return text;
}

export async function copyText(text, button) {
  const before = button.dataset.label ?? button.textContent;
  button.dataset.label = before;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = word("copied");
  } catch {
    button.textContent = word("failed");
  }
  setTimeout(() => { button.textContent = before; }, 1500);
}

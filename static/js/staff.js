// Staff work by keys: each button shows its own, "?" lists them all.

const BULK = "#bulk [data-bulk]";

function isTyping(target) {
  return target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null;
}

function rows() {
  return [...document.querySelectorAll("[data-row]")];
}

function current() {
  const all = rows();
  const focused = document.activeElement?.closest("li, tr")?.querySelector("[data-row]");
  return focused ?? all.find((row) => row.ariaCurrent === "true") ?? null;
}

function move(step) {
  const all = rows();
  const at = all.indexOf(current());
  const next = at < 0 ? all[0] : all[at + step];
  if (!next) return;
  next.focus();
  next.scrollIntoView({ block: "nearest" });
  if (next.hasAttribute("hx-get")) next.click();
}

function show(row) {
  for (const other of rows()) other.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
}

function select() {
  const box = current()?.closest("li")?.querySelector("input[type=checkbox]");
  if (box) box.checked = !box.checked;
}

function press(key) {
  const many = document.querySelector(".waiting input:checked");
  const button = many && [...document.querySelectorAll(BULK)].find((one) => one.dataset.bulk === key);
  const wanted = button ?? document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!wanted) return false;
  wanted.click();
  const details = wanted.closest("summary")?.parentElement;
  if (details?.open) details.querySelector("textarea, input:not([type=hidden])")?.focus();
  return true;
}

function leaveText(field) {
  const details = field.closest("details[open]");
  if (details) details.open = false;
  (details?.querySelector("summary") ?? current())?.focus();
}

function act(event) {
  const moves = { j: 1, n: 1, k: -1 };
  if (event.key in moves) move(moves[event.key]);
  else if (event.key === "x") select();
  else if (event.key === "?") document.getElementById("keys")?.showModal();
  else if (!press(event.key)) return;
  event.preventDefault();
}

document.addEventListener("keydown", (event) => {
  if (event.isComposing || document.querySelector("dialog:modal")) return;
  const typing = isTyping(event.target);
  if (typing && event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.form?.requestSubmit();
  else if (typing && event.key === "Escape") leaveText(event.target);
  else if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey) act(event);
});

document.addEventListener("click", (event) => {
  const row = event.target.closest("[data-row][hx-get]");
  if (row) show(row);
  if (event.target.closest("[data-help]")) document.getElementById("keys")?.showModal();
});

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id === "thing") event.detail.target.scrollIntoView({ block: "nearest" });
  if (event.detail.target.id !== "queue") return;
  const open = document.querySelector("#thing details[open] textarea");
  (open ?? document.querySelector("#queue [data-row][aria-current]"))?.focus();
});

// How much of the files that are sent has arrived; then they are read.
document.addEventListener("htmx:xhr:progress", (event) => {
  const place = event.target.querySelector?.("[data-sending]");
  if (!place || !event.detail.lengthComputable) return;
  const { loaded, total } = event.detail;
  place.hidden = false;
  place.querySelector("progress").value = (100 * loaded) / total;
  place.querySelector("[data-reading]").hidden = loaded < total;
});

document.addEventListener("htmx:afterRequest", (event) => {
  const place = event.target.querySelector?.("[data-sending]");
  if (place) place.hidden = true;
});

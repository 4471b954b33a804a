// Lists for staff: j and k move from row to row, as the hint under the list says.

function isTyping(target) {
  return target.closest("input, textarea, select, [contenteditable]") !== null;
}

function move(step) {
  const rows = [...document.querySelectorAll("[data-row]")];
  const at = rows.indexOf(document.activeElement);
  const next = at < 0 ? rows[0] : rows[at + step];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (event.key === "j") move(1);
  if (event.key === "k") move(-1);
});

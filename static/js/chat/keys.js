// Single keys of the chat, for whoever is not writing; "?" shows them all.

const FIELD = "input, textarea, select, [contenteditable]";

/** `doing` maps a key to what it does; all of it is on the page for a pointer too. */
export function listenForKeys(doing) {
  const sheet = document.getElementById("keys");
  const help = () => sheet.open || sheet.showModal();
  document.querySelector("[data-help]").addEventListener("click", help);
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return;
    if (document.querySelector("dialog:modal")) return;
    const modified = event.ctrlKey || event.metaKey;
    const writing = event.target.closest(FIELD);
    if (modified && event.key === "/") act(event, help);
    else if (modified || event.altKey) return;
    else if (writing && event.key === "Escape") writing.blur();
    else if (!writing && event.key === "?") act(event, help);
    else if (!writing && Object.hasOwn(doing, event.key)) act(event, doing[event.key]);
  });
}

function act(event, verb) {
  event.preventDefault();
  verb();
}

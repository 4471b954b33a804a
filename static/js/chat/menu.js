// The menu of a conversation: another title in its place, and deleting it.
import { patchJson } from "../request.js";
import { wordsFrom } from "../words.js";

const word = wordsFrom("chat-words");
const pageWord = wordsFrom("words");
const LONGEST = 120;

export function listenToMenu(conversation, sidebar, tell) {
  const remove = document.getElementById("remove");
  const heading = document.querySelector("[data-title]");
  const menu = document.querySelector(".talk-menu");
  menu.addEventListener("click", (event) => {
    if (event.target.closest("div a, div button")) menu.open = false;
  });
  document.querySelector("[data-remove]").addEventListener("click", () => remove.showModal());
  document.querySelector("[data-remove-not]").addEventListener("click", () => remove.close());
  document.querySelector("[data-rename]").addEventListener("click", () => rename());

  function rename() {
    const field = document.createElement("input");
    field.className = "title-edit";
    field.maxLength = LONGEST;
    field.value = heading.textContent;
    field.setAttribute("aria-label", word("title"));
    heading.hidden = true;
    heading.after(field);
    field.select();
    field.focus();
    field.addEventListener("keydown", (event) => pressed(event, field));
    field.addEventListener("blur", () => save(field));
  }

  function pressed(event, field) {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") field.value = heading.textContent;
    if (event.key === "Enter" || event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      field.blur();
    }
  }

  async function save(field) {
    const title = field.value.trim();
    field.remove();
    heading.hidden = false;
    if (!title || title === heading.textContent) return;
    try {
      const saved = await patchJson(`/api/v1/conversations/${conversation}`, { title });
      heading.textContent = saved.title;
      sidebar.rename(saved.title);
    } catch {
      tell(pageWord("failed"));
    }
  }
}

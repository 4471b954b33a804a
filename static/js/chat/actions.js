// The quiet row under an answer, and Undo under a message.
import { copyText, plainText } from "../prose.js";
import { postJson } from "../request.js";
import { wordsFrom } from "../words.js";

const word = wordsFrom("chat-words");
const pageWord = wordsFrom("words");

/** `doing`: why(button), again(turn), edit(turn), human(turn), quote(turn), unask(). */
export function listenForActions(thread, doing) {
  // A press would take the selection away before it is quoted.
  thread.list.addEventListener("pointerdown", (event) => event.target.closest("[data-quote]") && event.preventDefault());
  thread.list.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    const turn = button && thread.byElement(button);
    if (!turn) return;
    if (button.matches("[data-why]")) doing.why(button);
    else if (button.matches("[data-again]")) doing.again(turn);
    else if (button.matches("[data-edit]")) doing.edit(turn);
    else if (button.matches("[data-human]")) doing.human(turn);
    else if (button.matches("[data-quote]")) doing.quote(turn);
    else if (button.matches("[data-unask]")) doing.unask();
    else if (button.matches("[data-copy]")) copyText(plainText(turn.part("answer")), button);
    else if (button.matches("[data-rate]")) rate(turn, button);
    else if (button.matches("[data-undo]")) undo(button);
  });
}

async function rate(turn, button) {
  const said = turn.part("said-back");
  button.setAttribute("aria-busy", "true");
  try {
    await postJson(`/api/v1/turns/${turn.id}/feedback`, { rating: button.dataset.rate });
    for (const other of turn.element.querySelectorAll("[data-rate]")) {
      other.setAttribute("aria-pressed", String(other === button));
    }
    said.textContent = word("thanks");
  } catch {
    said.textContent = pageWord("failed");
  }
  button.removeAttribute("aria-busy");
  setTimeout(() => { said.textContent = ""; }, 3000);
}

async function undo(button) {
  button.disabled = true;
  try {
    await postJson("/api/v1/undo", { change: button.dataset.undo });
    const done = document.createElement("em");
    done.textContent = word("undone");
    button.closest("li").classList.add("undone");
    button.replaceWith(done);
  } catch {
    button.disabled = false;
    button.textContent = `${word("undo")} · ${pageWord("failed")}`;
  }
}

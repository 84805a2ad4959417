/** @file A question before something that cannot be undone. */

import { element } from "./dom.js";

/**
 * Asks, and waits for the answer. Escape is no.
 *
 * @param {string} question
 * @param {string} explanation what happens then
 * @param {string} yes what the button says that does it
 * @returns {Promise<boolean>}
 */
export function confirmation(question, explanation, yes) {
  const heading = element("h2", { id: "confirmation-question" }, question);
  const no = element("button", { type: "button", autofocus: true }, "No, keep it");
  const does = element("button", { type: "button", class: "danger" }, yes);
  const dialog = /** @type {HTMLDialogElement} */ (
    element(
      "dialog",
      { "aria-labelledby": "confirmation-question" },
      heading,
      element("p", {}, explanation),
      element("p", { class: "actions" }, does, no),
    )
  );
  return new Promise((resolve) => {
    does.addEventListener("click", () => dialog.close("yes"));
    no.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

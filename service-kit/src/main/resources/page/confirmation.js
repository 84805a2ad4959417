/** @file A question before an action that cannot be undone. */

import { element } from "./dom.js";

/**
 * Asks, and waits for the answer. The Escape key means no.
 *
 * @param {string} question
 * @param {string} explanation the consequence of the action
 * @param {string} yes the text of the button that confirms
 * @returns {Promise<boolean>} whether the person confirmed
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

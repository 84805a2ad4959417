/** @file Moves the keyboard focus when the element with the focus is hidden. */

import { isShown } from "./dom.js";

/**
 * The elements that may get the focus, by the hidden element; the first visible one gets it.
 * @type {Record<string, string[]>}
 */
const NEXT = {
  file: ["pause", "again", "cancel"],
  pause: ["resume", "again", "cancel"],
  resume: ["pause", "again", "cancel"],
  again: ["pause", "cancel"],
  cancel: ["file"],
  delete: ["file"],
};
/** The heading of the upload, which gets the focus at the end of the upload. */
const HEADING = "file-name";

export class Keyboard {
  /** The id of the hidden element that had the focus; empty if there is none. */
  #lost = "";

  /**
   * Changes the page, and keeps the focus near where it was.
   *
   * @param {() => string} change shows and hides elements; returns the state of the page
   */
  around(change) {
    const before = /** @type {HTMLElement} */ (document.activeElement ?? document.body);
    const state = change();
    if (before.id in NEXT && !isShown(before)) {
      this.#lost = before.id;
    } else if (before !== document.body) {
      // The user has moved the focus meanwhile; it stays there.
      this.#lost = "";
    }
    if (this.#lost !== "") {
      this.#return(state);
    }
  }

  /** Moves the focus; if no next element is visible yet, the next change tries again. */
  #return(state) {
    const names = state === "done" ? [HEADING] : NEXT[this.#lost];
    const next = names.map((name) => document.getElementById(name)).find((each) => isShown(each));
    if (next !== undefined) {
      this.#lost = "";
      next.focus();
    }
  }
}

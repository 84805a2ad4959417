/** @file Where a keyboard goes on when what it was at has gone. */

import { isShown } from "./dom.js";

/** @type {Record<string, string[]>} what to go on with, by what has gone; the first that is there */
const NEXT = {
  file: ["pause", "again", "cancel"],
  pause: ["resume", "again", "cancel"],
  resume: ["pause", "again", "cancel"],
  again: ["pause", "cancel"],
  cancel: ["file"],
  delete: ["file"],
};
/** What tells of the upload, for when there is nothing left to do. */
const HEADING = "file-name";

export class Keyboard {
  /** The id of what had the focus and has gone; empty where nothing has. */
  #lost = "";

  /**
   * Changes the page, and keeps the focus near where it was.
   *
   * @param {() => string} change shows and hides; tells the state of the page
   */
  around(change) {
    const before = /** @type {HTMLElement} */ (document.activeElement ?? document.body);
    const state = change();
    if (before.id in NEXT && !isShown(before)) {
      this.#lost = before.id;
    } else if (before !== document.body) {
      // Whoever has gone elsewhere meanwhile stays there.
      this.#lost = "";
    }
    if (this.#lost !== "") {
      this.#return(state);
    }
  }

  /** Waits for the next change where there is nothing yet to go on with. */
  #return(state) {
    const names = state === "done" ? [HEADING] : NEXT[this.#lost];
    const next = names.map((name) => document.getElementById(name)).find((each) => isShown(each));
    if (next !== undefined) {
      this.#lost = "";
      next.focus();
    }
  }
}

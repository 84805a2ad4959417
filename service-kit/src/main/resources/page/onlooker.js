/** @file Detects whether the tab is visible, or has been hidden for a short time only. */

/** A tab that is hidden for a shorter time stays connected. */
const GRACE_MS = 10_000;

/** Dispatches `gone` if the tab is hidden for a while, and `back` when it is visible again. */
export class Onlooker extends EventTarget {
  gone = false;
  #timer = 0;

  constructor() {
    super();
    document.addEventListener("visibilitychange", () => this.#look());
    window.addEventListener("pageshow", ({ persisted }) => {
      if (persisted) {
        // The browser has restored the page from its cache. Before that, it had closed the page's
        // connections.
        this.#back();
      }
    });
    this.#look();
  }

  #look() {
    clearTimeout(this.#timer);
    if (document.visibilityState === "hidden") {
      this.#timer = setTimeout(() => {
        this.gone = true;
        this.dispatchEvent(new Event("gone"));
      }, GRACE_MS);
    } else if (this.gone) {
      this.#back();
    }
  }

  #back() {
    this.gone = false;
    this.dispatchEvent(new Event("back"));
  }
}

/** @file Whether anybody looks at the tab, or has only just looked away. */

/** Whoever looks something up in another tab and comes back finds this one as it was. */
const GRACE_MS = 10_000;

/** Tells `gone` when nobody has looked for a while, and `back` as soon as somebody does again. */
export class Onlooker extends EventTarget {
  gone = false;
  #timer = 0;

  constructor() {
    super();
    document.addEventListener("visibilitychange", () => this.#look());
    window.addEventListener("pageshow", ({ persisted }) => {
      if (persisted) {
        // The browser had put the page aside, and cut what it followed.
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

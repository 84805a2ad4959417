/**
 * @file An interrupted upload: this browser began it, and the service has received a part of it.
 */

import { fileOf, recall } from "./remember.js";
import { heldElsewhere, whenFree } from "./tab-lock.js";
import { place } from "./upload-resource.js";
import { Problem } from "./volume.js";

/** The phases in which bytes have arrived, but the volume is not ready. */
export const UNDER_WAY = ["Transferring", "Finalizing"];
/** The time for a reloaded tab to continue its upload before another tab continues it. */
const RELOAD_MS = 2_000;

/**
 * Looks for an interrupted upload. Dispatches `changed` after each look, and when more bytes have
 * arrived. Dispatches `file` with `{file, handle}` as its detail, if the page can read the file
 * without asking the user.
 */
export class Interruption extends EventTarget {
  /** @type {{remembered: import("./remember.js").Remembered, offset: number} | undefined} */
  upload;
  looking = false;
  /** The start time of the creation that was examined last. */
  #lookedAt = "";
  #busy;

  /** @param {() => boolean} busy returns whether this tab sends an upload, or removes one */
  constructor(busy) {
    super();
    this.#busy = busy;
  }

  /** @param {import("./volume.js").Status} status the newest */
  follow({ phase, started, bytesIn }) {
    if (!UNDER_WAY.includes(phase)) {
      this.upload = undefined;
    } else if (this.#lookedAt !== started) {
      this.#lookedAt = started;
      this.#look();
    }
    if (this.upload !== undefined && bytesIn > this.upload.offset) {
      // After a reload of the page, the service still receives bytes that were in transit.
      this.upload = { ...this.upload, offset: bytesIn };
      this.dispatchEvent(new Event("changed"));
    }
  }

  /** Forgets the interrupted upload, because it is continued or discarded. */
  end() {
    this.upload = undefined;
  }

  async #look() {
    if (this.looking || this.#busy() || this.upload !== undefined) {
      return;
    }
    this.looking = true;
    try {
      await this.#lookAt(await place());
    } catch (e) {
      // This problem is not shown, because the page shows the state of the connection elsewhere.
      // The next status starts another look.
      if (!(e instanceof Problem)) {
        throw e;
      }
      this.#lookedAt = "";
    } finally {
      this.looking = false;
      this.dispatchEvent(new Event("changed"));
    }
  }

  /** @param {import("./upload-resource.js").Place} there */
  async #lookAt({ key, offset, complete }) {
    const remembered = key === "" || complete ? undefined : await recall(key);
    if (remembered === undefined) {
      return;
    }
    if (await heldElsewhere(key)) {
      whenFree(key).then(() => setTimeout(() => this.#look(), RELOAD_MS));
      return;
    }
    const file = await fileOf(remembered, false);
    if (this.#busy()) {
      return;
    }
    this.upload = { remembered, offset };
    if (file !== undefined) {
      const detail = { file, handle: remembered.handle };
      this.dispatchEvent(new CustomEvent("file", { detail }));
    }
  }
}

/** @file An upload that was interrupted: the service has a part of it, and this browser began it. */

import { fileOf, recall } from "./remember.js";
import { heldElsewhere, whenFree } from "./tab-lock.js";
import { place } from "./upload-resource.js";
import { Problem } from "./volume.js";

/** Phases in which bytes are there that are no volume yet. */
export const UNDER_WAY = ["Transferring", "Finalizing"];
/** A tab that is loaded anew goes on itself, before another does so in its place. */
const RELOAD_MS = 2_000;

/**
 * Looks for one. Tells `changed` whenever it has looked, or more has arrived; `file`, with
 * `{file, handle}` as its detail, where the file is at hand without asking for it.
 */
export class Interruption extends EventTarget {
  /** @type {{remembered: import("./remember.js").Remembered, offset: number} | undefined} */
  upload;
  looking = false;
  /** The creation that has been looked at, by when it began. */
  #lookedAt = "";
  #busy;

  /** @param {() => boolean} busy whether this tab has an upload of its own, or ends one */
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
      // What was on its way arrives a while after a reload.
      this.upload = { ...this.upload, offset: bytesIn };
      this.dispatchEvent(new Event("changed"));
    }
  }

  /** Knows of none any more: it goes on, or is thrown away. */
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
      // The volume's status tells what is wrong with the connection; the next one is looked at.
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

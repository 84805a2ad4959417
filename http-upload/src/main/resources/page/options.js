/** @file The options of an upload, and a command with the same options. */

import { setText } from "./dom.js";
import { addressOf, tokenOption, tokens } from "./volume.js";

const SAID_MS = 4_000;

export class Options {
  #format = /** @type {HTMLSelectElement} */ (document.getElementById("format"));
  #archive = /** @type {HTMLInputElement} */ (document.getElementById("archive"));
  #command = document.getElementById("command");
  #said = document.getElementById("copied");

  constructor() {
    this.#format.addEventListener("change", () => this.#changed());
    this.#archive.addEventListener("change", () => this.#changed());
    tokens.addEventListener("changed", () => this.#changed());
    document.getElementById("copy-command").addEventListener("click", () => this.#copy());
    this.#changed();
  }

  /** The query with the options; empty for the defaults. */
  get query() {
    const query = new URLSearchParams();
    if (this.#archive.checked) {
      query.set("content", "archive");
    } else if (this.#format.value !== "") {
      query.set("format", this.#format.value);
    }
    // `query.size` is not used, because older browsers lack it and would send no options.
    const text = query.toString();
    return text === "" ? "" : `?${text}`;
  }

  #changed() {
    // An archive is not a disk of any format.
    this.#format.disabled = this.#archive.checked;
    const address = addressOf(`upload${this.query}`);
    setText(this.#command, `curl --fail-with-body${tokenOption()} -T disk.img '${address}'`);
  }

  async #copy() {
    const copied = await navigator.clipboard?.writeText(this.#command.textContent).then(
      () => true,
      () => false,
    );
    if (!copied) {
      getSelection()?.selectAllChildren(this.#command);
      this.#command.focus();
    }
    setText(this.#said, copied ? "Copied." : "Selected: copy it with Ctrl+C or ⌘C.");
    setTimeout(() => setText(this.#said, ""), SAID_MS);
  }
}

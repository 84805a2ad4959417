/** @file The zone to drop a file on, and the button to choose one. */

const PICKER_CANCELLED = "AbortError";

/**
 * Dispatches `chosen` with `{file, handle}` as its detail, without a handle if the browser has
 * none; and `folder` with the name of a dropped folder.
 */
export class Chooser extends EventTarget {
  #zone;
  #input;
  #depth = 0;

  /**
   * @param {HTMLElement} zone
   * @param {HTMLInputElement} input
   */
  constructor(zone, input) {
    super();
    this.#zone = zone;
    this.#input = input;
    input.addEventListener("change", () => this.#taken());
    input.addEventListener("click", (event) => this.#pick(event));
    // Without these listeners, the browser would open a file that is dropped beside the zone in
    // place of the page. Therefore the whole page accepts files.
    window.addEventListener("dragenter", (event) => this.#dragged(event, 1));
    window.addEventListener("dragleave", (event) => this.#dragged(event, -1));
    window.addEventListener("dragover", (event) => this.#over(event));
    window.addEventListener("drop", (event) => this.#drop(event));
  }

  /** Whether files are accepted now. */
  get open() {
    return !this.#zone.closest("[hidden]");
  }

  #taken() {
    const file = this.#input.files?.[0];
    // The input is cleared, so that a user can choose the same file again.
    const clear = () => (this.#input.value = "");
    if (file !== undefined) {
      this.#tell(file);
      clear();
    }
  }

  /** Uses `showOpenFilePicker` if the browser has it, because an input element gives no handle. */
  async #pick(event) {
    if (!("showOpenFilePicker" in window) || !event.isTrusted) {
      return;
    }
    event.preventDefault();
    try {
      const [handle] = await window.showOpenFilePicker();
      this.#tell(await handle.getFile(), handle);
    } catch (e) {
      if (e.name !== PICKER_CANCELLED) {
        // `showOpenFilePicker` is not allowed here, for example in a frame. The picker of the input
        // element is allowed.
        this.#input.click();
      }
    }
  }

  #dragged(event, by) {
    if (carriesFiles(event)) {
      event.preventDefault();
      this.#depth = Math.max(0, this.#depth + by);
      this.#zone.toggleAttribute("data-over", this.#depth > 0 && this.open);
    }
  }

  #over(event) {
    if (carriesFiles(event)) {
      event.preventDefault();
      event.dataTransfer.dropEffect = this.open ? "copy" : "none";
    }
  }

  async #drop(event) {
    if (!carriesFiles(event)) {
      return;
    }
    event.preventDefault();
    this.#depth = 0;
    this.#zone.removeAttribute("data-over");
    const item = [...event.dataTransfer.items].find((each) => each.kind === "file");
    if (!this.open || item === undefined) {
      return;
    }
    const entry = item.webkitGetAsEntry?.();
    if (entry?.isDirectory) {
      this.dispatchEvent(new CustomEvent("folder", { detail: entry.name }));
      return;
    }
    const file = item.getAsFile();
    if (!file) {
      return;
    }
    // The handle is requested before the first `await`, because the items do not exist after it.
    const handle = await item.getAsFileSystemHandle?.().catch(() => undefined);
    this.#tell(file, handle?.kind === "file" ? handle : undefined);
  }

  /**
   * @param {File} file
   * @param {FileSystemFileHandle} [handle]
   */
  #tell(file, handle) {
    this.dispatchEvent(new CustomEvent("chosen", { detail: { file, handle } }));
  }
}

/** @param {DragEvent} event */
function carriesFiles(event) {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

/** @file The base of all elements of the page that show a volume. */

/** Shows a part of a volume, and changes only if that part changes. */
export class VolumeElement extends HTMLElement {
  #volume;

  /** @returns {import("./volume.js").Volume} */
  get volume() {
    return this.#volume;
  }

  /** Set once. */
  set volume(volume) {
    this.#volume = volume;
    this.watch(volume);
  }

  /**
   * Listens for the events of the volume that this element shows.
   *
   * @param {import("./volume.js").Volume} volume
   */
  watch(volume) {
    volume.addEventListener("status", (event) => this.show(event.detail));
    if (volume.status !== undefined) {
      this.show(volume.status);
    }
  }

  /**
   * @param {import("./volume.js").Status} _status
   */
  show(_status) {}
}

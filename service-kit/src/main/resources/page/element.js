/** @file What all elements of the page have in common: a volume that they show. */

/** Shows something of a volume, and stays as it is where that does not change. */
export class VolumeElement extends HTMLElement {
  #volume;

  /** @returns {import("./volume.js").Volume} */
  get volume() {
    return this.#volume;
  }

  /** Given once. */
  set volume(volume) {
    this.#volume = volume;
    this.watch(volume);
  }

  /**
   * Listens for what it shows.
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

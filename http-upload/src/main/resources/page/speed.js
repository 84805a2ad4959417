/** @file The speed of a transfer over the last seconds. */

const WINDOW_MS = 5_000;

export class Speed {
  /** @type {{at: number, bytes: number}[]} */
  #marks = [];

  /** Forgets all marks, because a pause must not count as time of the transfer. */
  restart() {
    this.#marks = [];
  }

  /**
   * @param {number} bytes the total number of sent bytes
   * @param {number} [now]
   */
  mark(bytes, now = performance.now()) {
    this.#marks.push({ at: now, bytes });
    while (this.#marks.length > 2 && now - this.#marks[1].at > WINDOW_MS) {
      this.#marks.shift();
    }
  }

  /**
   * @returns {number | undefined} bytes per second; undefined if the marks are too close in time
   */
  get value() {
    const first = this.#marks[0];
    const last = this.#marks.at(-1);
    const milliseconds = (last?.at ?? 0) - (first?.at ?? 0);
    return milliseconds > WINDOW_MS / 10
      ? Math.max(0, (1000 * (last.bytes - first.bytes)) / milliseconds)
      : undefined;
  }
}

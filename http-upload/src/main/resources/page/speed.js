/** @file How fast it goes, over the last seconds. */

const WINDOW_MS = 5_000;

export class Speed {
  /** @type {{at: number, bytes: number}[]} */
  #marks = [];

  /** Forgets what was: bytes that a request brings after a pause say nothing of the time before. */
  restart() {
    this.#marks = [];
  }

  /**
   * @param {number} bytes that have gone out altogether
   * @param {number} [now]
   */
  mark(bytes, now = performance.now()) {
    this.#marks.push({ at: now, bytes });
    while (this.#marks.length > 2 && now - this.#marks[1].at > WINDOW_MS) {
      this.#marks.shift();
    }
  }

  /** @returns {number | undefined} bytes per second; nothing where it is too early to say */
  get value() {
    const first = this.#marks[0];
    const last = this.#marks.at(-1);
    const milliseconds = (last?.at ?? 0) - (first?.at ?? 0);
    return milliseconds > WINDOW_MS / 10
      ? Math.max(0, (1000 * (last.bytes - first.bytes)) / milliseconds)
      : undefined;
  }
}

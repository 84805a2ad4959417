/** @file Shows a transfer: a bar, figures, and announcements for screen readers. */

import { setAttribute, setBar, setText } from "./dom.js";
import { duration, percent, rate, size } from "./format.js";
import { timeLeft } from "./words.js";

const FIGURES_EVERY_MS = 250;
const SPOKEN_EVERY_PERCENT = 10;

export class ProgressView {
  #transfer;
  #bar = /** @type {HTMLProgressElement} */ (document.getElementById("bar"));
  #spoken = document.getElementById("spoken");
  #shownAt = 0;
  #timer = 0;
  #lastSpoken = 0;

  /** @param {import("./transfer.js").Transfer} transfer */
  constructor(transfer) {
    this.#transfer = transfer;
    transfer.addEventListener("progress", () => this.#soon());
  }

  /** Shows the figures, but not more often than a user can read them. */
  #soon() {
    const now = performance.now();
    clearTimeout(this.#timer);
    if (now - this.#shownAt >= FIGURES_EVERY_MS) {
      this.show();
    } else {
      this.#timer = setTimeout(() => this.show(), FIGURES_EVERY_MS);
    }
  }

  show() {
    const { sending, sent, speed, state, sha256 } = this.#transfer;
    if (sending === undefined) {
      return;
    }
    this.#shownAt = performance.now();
    const total = sending.file.size;
    const moving = state === "sending";
    this.figures(sent, total, {
      rate: moving && speed.value !== undefined ? rate(speed.value) : "",
      left: moving ? timeLeft(total - sent, speed.value) : "",
    });
    field("sha256", sha256);
    this.#speakTenths(percent(sent, total), state);
  }

  /**
   * @param {number} sent
   * @param {number | undefined} total
   * @param {{rate: string, left: string}} motion
   */
  figures(sent, total, { rate: speed, left }) {
    setBar(this.#bar, sent, total);
    const part = total === undefined ? "" : `${percent(sent, total)} %`;
    const whole = total === undefined ? "an unknown size" : size(total);
    field("sent", size(sent));
    field("total", whole);
    field("percent", part);
    field("rate", speed);
    field("left", left);
    setAttribute(this.#bar, "aria-valuetext", `${part} ${size(sent)} of ${whole}`.trim());
  }

  /**
   * Shows another client's upload, as the service reports it.
   *
   * @param {import("./volume.js").Status} status
   */
  showOther({ bytesIn, totalBytes, bytesPerSecond, etaSeconds }) {
    this.figures(bytesIn, totalBytes, {
      rate: bytesPerSecond > 0 ? rate(bytesPerSecond) : "",
      left: etaSeconds === undefined ? "" : `${duration(etaSeconds)} left`,
    });
  }

  #speakTenths(now, state) {
    const tenth = now - (now % SPOKEN_EVERY_PERCENT);
    if (tenth < this.#lastSpoken) {
      this.#lastSpoken = tenth;
    }
    if (state === "sending" && tenth > this.#lastSpoken) {
      this.#lastSpoken = tenth;
      this.say(`${tenth} percent`);
    }
  }

  /** @param {string} text the announcement for a screen reader */
  say(text) {
    setText(this.#spoken, text);
  }
}

function field(name, text) {
  for (const place of document.querySelectorAll(`[data-field="${name}"]`)) {
    setText(place, text);
  }
}

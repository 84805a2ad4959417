/** @file `<volume-status>`: the phase, its progress, and the failure. */

import { element, setAttribute, setBar, setShown, setText } from "./dom.js";
import { VolumeElement } from "./element.js";
import { duration, rate, size } from "./format.js";
import { Problem } from "./problem.js";
import { problemBox } from "./volume-failures.js";

const PHASES = {
  Absent: ["Nothing here yet", "The volume was not requested yet."],
  Pending: ["Asked for", "Looking for the source. No bytes were transferred yet."],
  Transferring: ["Transferring", "Bytes are written to the volume."],
  Finalizing: ["Finalizing", "Everything has arrived. The service verifies and flushes it."],
  Ready: ["Ready", "The volume can be used."],
  Failed: ["Failed", "There is no volume."],
  Deleting: ["Deleting", "The volume is being removed."],
};

const CONNECTIONS = {
  connecting: "Connecting …",
  live: "",
  lost: "Connection lost. This page may be outdated. Reconnecting …",
  locked: "Locked. This service requires a token.",
};

const MOVING = ["Pending", "Transferring", "Finalizing", "Deleting"];

/**
 * Sets `data-phase`, and shows the phase in words, a bar while the volume changes, and the failure.
 * With the attribute `compact` there is no bar, because the page has its own bar.
 */
export class VolumeStatus extends VolumeElement {
  #phase = element("span", { class: "phase" }, "…");
  #sentence = element("span", { class: "sentence" });
  // Screen readers announce the phase, but not the figures, which change twice a second.
  #live = element("p", { role: "status", class: "phase-line" }, this.#phase, " ", this.#sentence);
  #connection = element("p", { role: "status", class: "connection" }, CONNECTIONS.connecting);
  #bar = element("progress", { "aria-label": "Volume" });
  #figures = element("p", { class: "figures" });
  #failure = element("div", {});
  #failed = "";

  connectedCallback() {
    if (this.childElementCount > 0) {
      return;
    }
    setShown(this.#bar, false);
    this.append(this.#connection, this.#live);
    if (!this.hasAttribute("compact")) {
      this.append(this.#bar, this.#figures);
    }
    this.append(this.#failure);
  }

  watch(volume) {
    super.watch(volume);
    volume.addEventListener("connection", (event) => this.#connected(event.detail));
    this.#connected(volume.connection);
  }

  #connected(connection) {
    setAttribute(this, "data-connection", connection);
    setText(this.#connection, CONNECTIONS[connection]);
  }

  show(status) {
    setAttribute(this, "data-phase", status.phase);
    const [word, sentence] = PHASES[status.phase] ?? [status.phase, ""];
    setText(this.#phase, word);
    setText(this.#sentence, sentence);
    setShown(this.#bar, MOVING.includes(status.phase));
    const known = status.phase === "Transferring" ? status.totalBytes : undefined;
    setBar(this.#bar, status.bytesIn, status.phase === "Finalizing" ? 0 : known);
    const figures = MOVING.includes(status.phase) ? figuresOf(status) : "";
    setText(this.#figures, figures);
    setAttribute(this.#bar, "aria-valuetext", figures === "" ? undefined : figures);
    this.#showFailure(status.failure);
  }

  #showFailure(failure) {
    const text = JSON.stringify(failure ?? null);
    if (text === this.#failed) {
      return;
    }
    this.#failed = text;
    this.#failure.replaceChildren(...(failure ? [problemBox(new Problem(failure))] : []));
  }
}

/** @param {import("./volume.js").Status} status */
function figuresOf(status) {
  const told = [];
  if (status.percent !== undefined) {
    told.push(`${status.percent} %`);
  }
  if (status.totalBytes !== undefined) {
    told.push(`${size(status.bytesIn)} of ${size(status.totalBytes)}`);
  } else if (status.bytesIn > 0) {
    told.push(size(status.bytesIn));
  }
  if (status.bytesPerSecond > 0) {
    told.push(rate(status.bytesPerSecond));
  }
  if (status.etaSeconds !== undefined) {
    told.push(`${duration(status.etaSeconds)} left`);
  }
  return told.join(" · ");
}

/**
 * Returns the title of a tab: `42% · registry-copy`.
 *
 * @param {import("./volume.js").Status} status
 * @param {string} name of the service
 */
export function titleOf(status, name) {
  if (status.phase === "Absent") {
    return name;
  }
  const moving = status.phase === "Transferring" && status.percent !== undefined;
  return `${moving ? `${status.percent}%` : status.phase} · ${name}`;
}

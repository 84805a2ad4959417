/** @file `<volume-failures>`: the last failures, and what to do about them. */

import { element, setChildren, setShown } from "./dom.js";
import { VolumeElement } from "./element.js";
import { time } from "./format.js";
import { Problem } from "./problem.js";

/**
 * Returns an element that shows what failed, why, and what to do.
 *
 * @param {Problem} problem
 */
export function problemBox(problem) {
  const box = element("div", { class: "problem" }, element("strong", {}, problem.title));
  if (problem.detail !== "") {
    box.append(element("p", { class: "detail" }, problem.detail));
  }
  if (problem.advice !== "") {
    box.append(element("p", { class: "advice" }, problem.advice));
  }
  return box;
}

/** A list, the newest first; hidden if nothing failed. */
export class VolumeFailures extends VolumeElement {
  #list = element("ul", { class: "failures" });
  /**
   * @type {Map<string, Element>} the list item of each failure; a failure that stays keeps its item
   */
  #items = new Map();

  connectedCallback() {
    if (this.childElementCount === 0) {
      setShown(this, false);
      this.append(element("h2", {}, "Recent failures"), this.#list);
    }
  }

  watch(volume) {
    volume.addEventListener("failures", (event) => this.#showAll(event.detail));
    this.#showAll(volume.failures);
  }

  /** @param {import("./problem.js").ProblemDocument[]} failures */
  #showAll(failures) {
    const items = new Map();
    for (const failure of failures) {
      const key = JSON.stringify(failure);
      items.set(key, this.#items.get(key) ?? item(failure));
    }
    this.#items = items;
    setChildren(this.#list, [...items.values()]);
    setShown(this, items.size > 0);
  }
}

function item(failure) {
  const made = element("li", {});
  if (failure.at !== undefined) {
    made.append(element("time", { datetime: failure.at }, time(failure.at)));
  }
  made.append(problemBox(new Problem(failure)));
  return made;
}

/** @file `<volume-sessions>`: the initiators that are connected to an iSCSI target. */

import { element, setChildren, setShown, setText } from "./dom.js";
import { VolumeElement } from "./element.js";
import { count, time } from "./format.js";

const COLUMNS = ["Initiator", "Address", "Since", "Commands"];

/** A table; hidden if the status has no list of initiators. */
export class VolumeSessions extends VolumeElement {
  #rows = element("tbody", {});
  #none = element("p", { class: "hint" }, "No initiator is connected.");
  #more = element("p", { class: "hint" });
  #table = element(
    "table",
    {},
    element(
      "thead",
      {},
      element("tr", {}, ...COLUMNS.map((name) => element("th", { scope: "col" }, name))),
    ),
    this.#rows,
  );

  connectedCallback() {
    if (this.childElementCount === 0) {
      setShown(this, false);
      this.append(
        element("h2", {}, "Connected initiators"),
        this.#none,
        element(
          "div",
          { class: "scroll", tabindex: "0", role: "group", "aria-label": "Connected initiators" },
          this.#table,
        ),
        this.#more,
      );
    }
  }

  show(status) {
    const initiators = status.details?.initiators;
    setShown(this, Array.isArray(initiators));
    if (!Array.isArray(initiators)) {
      return;
    }
    setShown(this.#none, initiators.length === 0);
    setShown(this.#table, initiators.length > 0);
    const hidden = (status.details.sessions ?? 0) - initiators.length;
    setText(this.#more, hidden > 0 ? `And ${count(hidden)} more.` : "");
    const rows = [...this.#rows.children];
    while (rows.length < initiators.length) {
      rows.push(element("tr", {}, ...COLUMNS.map(() => element("td", {}))));
    }
    setChildren(this.#rows, rows.slice(0, initiators.length));
    initiators.forEach((initiator, index) => {
      const { name, address, since, commands } = initiator;
      [name, address, time(since), count(commands)].forEach((text, column) =>
        setText(rows[index].children[column], String(text)),
      );
    });
  }
}

/** @file `<volume-parts>`: a bar for each layer and each LUN. */

import { element, setAttribute, setBar, setChildren, setShown, setText } from "./dom.js";
import { VolumeElement } from "./element.js";
import { count, percent, size } from "./format.js";
import { lunFacts } from "./lun.js";

/** Up to this number all parts are shown; if there are more, inactive parts are folded away. */
const ALL_SHOWN = 8;
/** The number of waiting parts that are not folded away: the first ones of the list. */
const WAITING_SHOWN = 2;
const RESTING = ["done", "skipped"];

const KINDS = {
  lun: { heading: "LUNs", one: "LUN" },
  layer: { heading: "Layers", one: "Layer" },
};

const WORDS = {
  waiting: "waiting",
  moving: "moving",
  done: "done",
  skipped: "not moved",
  failed: "failed",
};

/** Bars, by kind; hidden if the volume has no parts. */
export class VolumeParts extends VolumeElement {
  #groups = new Map();

  show(status) {
    const parts = status.parts ?? [];
    setShown(this, parts.length > 0);
    for (const kind of Object.keys(KINDS)) {
      const ofKind = parts.filter((part) => part.kind === kind);
      if (ofKind.length > 0 || this.#groups.has(kind)) {
        this.#group(kind).show(ofKind, status.details ?? {});
      }
    }
  }

  #group(kind) {
    let group = this.#groups.get(kind);
    if (group === undefined) {
      group = new Group(KINDS[kind]);
      this.#groups.set(kind, group);
      setChildren(
        this,
        Object.keys(KINDS)
          .filter((each) => this.#groups.has(each))
          .map((each) => this.#groups.get(each).section),
      );
    }
    return group;
  }
}

/** The parts of one kind. The n-th part keeps its row in every state. */
class Group {
  #kind;
  /** @type {Row[]} */
  #rows = [];
  #summary = element("p", { class: "hint" });
  #shown = element("ul", { class: "parts" });
  #foldedCount = element("summary", {});
  #foldedRows = element("ul", { class: "parts" });
  #folded = element("details", {}, this.#foldedCount, this.#foldedRows);

  constructor(kind) {
    this.#kind = kind;
    this.section = element(
      "section",
      { class: "card" },
      element("h2", {}, kind.heading),
      this.#summary,
      this.#shown,
      this.#folded,
    );
  }

  show(parts, details) {
    setShown(this.section, parts.length > 0);
    while (this.#rows.length < parts.length) {
      this.#rows.push(new Row());
    }
    this.#rows.length = parts.length;
    parts.forEach((part, index) =>
      this.#rows[index].show(part, this.#label(part, index), lunFacts(part, details)),
    );
    const tally = tallyOf(parts);
    setText(this.#summary, tally);
    const folded = foldedOf(parts);
    const rowsOf = (fold) =>
      this.#rows.filter((_, index) => folded.has(index) === fold).map((row) => row.item);
    setChildren(this.#shown, rowsOf(false));
    setChildren(this.#foldedRows, rowsOf(true));
    setShown(this.#folded, folded.size > 0);
    const many = count(folded.size);
    setText(this.#foldedCount, folded.size < parts.length ? `${many} more` : `All ${many}`);
  }

  #label(part, index) {
    return part.kind === "lun"
      ? `${this.#kind.one} ${part.name}`
      : `${this.#kind.one} ${index + 1}`;
  }
}

/** One bar. */
class Row {
  #label = element("span", { class: "label" });
  #name = element("code", { class: "name" });
  #state = element("span", { class: "state" });
  #bar = element("progress", {});
  #facts = element("p", { class: "hint" });
  item = element(
    "li",
    { class: "part" },
    element("p", { class: "line" }, this.#label, " ", this.#name, " ", this.#state),
    this.#bar,
    this.#facts,
  );

  show(part, label, facts) {
    const state = stateOf(part);
    setAttribute(this.item, "data-state", part.state);
    setText(this.#label, label);
    setText(this.#name, part.kind === "lun" ? "" : part.name);
    setText(this.#state, state);
    setText(this.#facts, facts);
    setAttribute(this.#bar, "aria-label", label);
    setAttribute(this.#bar, "aria-valuetext", state);
    if (part.state === "done") {
      setBar(this.#bar, 1, 1);
    } else {
      setBar(this.#bar, part.done, part.state === "moving" ? part.total : (part.total ?? 1));
    }
  }
}

/** Returns the state in words, because not everybody can distinguish the colours. */
function stateOf(part) {
  const word = WORDS[part.state] ?? part.state;
  if (part.state === "moving" && part.total !== undefined) {
    const share = `${percent(part.done, part.total)} %`;
    return `${word} · ${share} · ${size(part.done)} of ${size(part.total)}`;
  }
  const bytes = part.total ?? part.done;
  return bytes > 0 ? `${word} · ${size(bytes)}` : word;
}

function tallyOf(parts) {
  const told = [];
  for (const [state, word] of Object.entries(WORDS)) {
    const many = parts.filter((part) => part.state === state).length;
    if (many > 0) {
      told.push(`${count(many)} ${word}`);
    }
  }
  return told.join(", ");
}

/** @returns {Set<number>} the indexes of the parts that are folded away */
function foldedOf(parts) {
  const folded = new Set();
  if (parts.length <= ALL_SHOWN) {
    return folded;
  }
  let waiting = 0;
  parts.forEach((part, index) => {
    const rests = RESTING.includes(part.state);
    if (rests || (part.state === "waiting" && ++waiting > WAITING_SHOWN)) {
      folded.add(index);
    }
  });
  return folded;
}

/** @file `<volume-facts>`: where the volume comes from, and what it is. */

import { element, setChildren, setShown, setText } from "./dom.js";
import { VolumeElement } from "./element.js";
import { count, duration, size, time } from "./format.js";

/**
 * The facts in the order of the page; unknown facts are left out.
 *
 * @type {[string, (status: any, details: any) => any][]}
 */
const FACTS = [
  ["Image", (_, details) => details.image],
  ["Digest", (status, details) => details.digest ?? status.sourceDigest],
  ["Platform", (_, details) => details.platform],
  ["Target", (_, details) => details.target],
  ["Path in the image", (_, details) => details.path],
  ["Layers", (_, details) => layers(details)],
  ["Format", (status) => status.format],
  ["Disk size", (status) => sizeOf(status.virtualSize)],
  ["Came from the source", (status) => sizeOf(status.bytesIn)],
  ["Written", (status) => sizeOf(status.bytesOut)],
  ["Machine", (_, details) => details.machine],
  ["Bootable", (_, details) => bootable(details.bootable)],
  ["Asked for", (status) => status.started && time(status.started)],
  ["Ended", (status) => status.finished && time(status.finished)],
  ["Took", (_, details) => details.seconds !== undefined && duration(details.seconds)],
];

/** A list of names and values; hidden if nothing is known. */
export class VolumeFacts extends VolumeElement {
  #list = element("dl", {});
  #values = new Map();

  connectedCallback() {
    if (this.childElementCount === 0) {
      setShown(this, false);
      this.append(element("h2", {}, "Source"), this.#list);
    }
  }

  show(status) {
    const wanted = [];
    for (const [name, tell] of FACTS) {
      const value = tell(status, status.details ?? {});
      if (value !== undefined && value !== false && value !== "") {
        const pair = this.#pair(name);
        setText(pair[1], String(value));
        wanted.push(...pair);
      }
    }
    setChildren(this.#list, wanted);
    setShown(this, wanted.length > 0);
  }

  #pair(name) {
    if (!this.#values.has(name)) {
      this.#values.set(name, [element("dt", {}, name), element("dd", {})]);
    }
    return this.#values.get(name);
  }
}

function sizeOf(bytes) {
  return bytes > 0 && `${size(bytes)} (${count(bytes)} bytes)`;
}

function layers(details) {
  const { layers: all, sharedLayers: shared } = details;
  return all !== undefined && `${count(all)}, of which ${count(shared ?? 0)} were here before`;
}

function bootable(value) {
  return value !== undefined && (value ? "yes" : "no: there was no kernel to put beside the disk");
}

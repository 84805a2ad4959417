/**
 * @file Reads a file in slices and hashes it on a separate thread, up to the offset that the page
 * sends (`{until}`). A slow disk then reads each byte once: hashing brings the bytes into the
 * system's memory, and sending takes them from there.
 */

import { hex, Sha256 } from "./sha256.js";

const SLICE_BYTES = 4 << 20;

const hash = new Sha256();
/** @type {File} */
let file;
let until = 0;
let position = 0;
let busy = false;

self.addEventListener("message", ({ data }) => {
  file ??= data.file;
  until = data.until;
  goOn();
});

async function goOn() {
  if (busy) {
    return;
  }
  busy = true;
  try {
    while (position < Math.min(until, file.size)) {
      const slice = file.slice(position, position + SLICE_BYTES);
      hash.update(new Uint8Array(await slice.arrayBuffer()));
      position += slice.size;
    }
    busy = false;
    if (position === file.size) {
      self.postMessage({ digest: hex(hash.digest()) });
      self.close();
    }
  } catch (e) {
    // The file was changed or moved, or is not readable any more. The page reports this failure.
    self.postMessage({ error: e.name });
    self.close();
  }
}

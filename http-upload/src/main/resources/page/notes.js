/** @file The texts of the page about an upload that has not failed. */

import { count, percent, size } from "./format.js";

/**
 * @param {string} state of the page
 * @param {import("./transfer.js").Transfer} transfer
 * @param {{remembered: import("./remember.js").Remembered, offset: number} | undefined} interrupted
 * @param {import("./volume.js").Connection} connection
 */
export function noteOf(state, transfer, interrupted, connection) {
  switch (state) {
    case "sending":
      return transfer.restarts > 0
        ? "The service lost the received bytes, for example by a restart. They are sent again."
        : "";
    case "waiting":
      return waiting(transfer);
    case "paused":
      return "Paused. The service keeps the received bytes for some minutes.";
    case "verifying":
      return "Everything has arrived. The service verifies and flushes it.";
    case "done":
      return connection === "lost"
        ? "Uploaded. The service cannot be reached any more: a Job ends with its upload."
        : "Uploaded. The volume can be used.";
    case "resumable":
      return resumable(interrupted);
    default:
      return "";
  }
}

/** @param {import("./transfer.js").Transfer} transfer */
function waiting({ problem, sent, sending }) {
  // A busy service still waits for this page's earlier connection, whose loss it has not noticed.
  const why = problem.kind === "volume-busy" ? "The connection was cut" : problem.title;
  if (sent === sending.file.size) {
    return (
      `${why}. Everything had been sent. Retrying. If the service runs as a Job, it may have` +
      " ended with the upload: see its log."
    );
  }
  return sent === 0
    ? `${why}. Retrying.`
    : `${why}. Retrying; the upload continues after the received bytes.`;
}

function resumable({ remembered, offset }) {
  const at = `An upload of this file was interrupted at ${percent(offset, remembered.size)} %.`;
  return remembered.handle === undefined
    ? `${at} Choose the file again to continue.`
    : `${at} Continue, or choose the file again.`;
}

/**
 * Describes the source of a volume.
 *
 * @param {import("./volume.js").Status} status the status of a ready volume; after a restart of the
 *     service, some fields are missing
 */
export function madeOf({ format, bytesIn, virtualSize }) {
  const from = bytesIn > 0 ? `, ${size(bytesIn)}` : "";
  if (format === "tar") {
    return `Unpacked: a tar archive${from}.`;
  }
  const image = format ? `Uploaded: ${format}${from}. ` : "";
  const disk =
    virtualSize > 0 ? `The disk has ${size(virtualSize)} (${count(virtualSize)} bytes).` : "";
  return image + disk;
}

/** @param {import("./volume.js").Status} status */
export function digestLine({ sourceDigest }) {
  return sourceDigest ? `SHA-256 ${sourceDigest.replace("sha256:", "")}` : "";
}

/** @param {string | undefined} phase */
export function occupiedBy(phase) {
  switch (phase) {
    case "Ready":
      return "To upload another disk image, delete this one first.";
    case "Transferring":
    case "Finalizing":
      return "Another tab or program is uploading. Wait until it ends, or cancel it.";
    default:
      return "";
  }
}

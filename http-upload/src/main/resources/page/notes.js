/** @file What the page says of an upload that goes well, or will. */

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
        ? "The service had lost what had arrived, as after a restart: it is sent again."
        : "";
    case "waiting":
      return waiting(transfer);
    case "paused":
      return "Paused. The service keeps what has arrived for some minutes.";
    case "verifying":
      return "Everything has arrived. The service verifies it and makes it durable.";
    case "done":
      return connection === "lost"
        ? "Uploaded. The service cannot be reached any more: where it runs as a Job, it ends with" +
            " its upload."
        : "Uploaded. The volume can be used.";
    case "resumable":
      return resumable(interrupted);
    default:
      return "";
  }
}

/** @param {import("./transfer.js").Transfer} transfer */
function waiting({ problem, sent, sending }) {
  // Where the service is busy, it is with our own connection: it has not heard of the cut yet.
  const why = problem.kind === "volume-busy" ? "The connection was cut" : problem.title;
  if (sent === sending.file.size) {
    return (
      `${why}. Everything had been sent. Trying again; where the service runs as a Job, it may have` +
      " ended with the upload: its log tells."
    );
  }
  return sent === 0
    ? `${why}. Trying again.`
    : `${why}. Trying again; it goes on from what the service has.`;
}

function resumable({ remembered, offset }) {
  const at = `An upload of this file was interrupted at ${percent(offset, remembered.size)} %.`;
  return remembered.handle === undefined
    ? `${at} Choose the file again to go on from there.`
    : `${at} Go on from there, or choose the file again.`;
}

/**
 * What the volume was made of.
 *
 * @param {import("./volume.js").Status} status of a volume that is ready; a service that was
 *     restarted knows less of it
 */
export function madeOf({ format, bytesIn, virtualSize }) {
  const from = bytesIn > 0 ? ` of ${size(bytesIn)}` : "";
  if (format === "tar") {
    return `A tar archive${from} was unpacked into the volume.`;
  }
  const image = format ? `It was uploaded as ${format}${from}. ` : "";
  const disk =
    virtualSize > 0 ? `The disk has ${size(virtualSize)} (${count(virtualSize)} bytes).` : "";
  return image + disk;
}

/** @param {string | undefined} phase */
export function occupiedBy(phase) {
  switch (phase) {
    case "Ready":
      return "To upload another disk image, delete this one first.";
    case "Transferring":
    case "Finalizing":
      return "Another tab or program is uploading. You can wait for its end here, or cancel it.";
    default:
      return "";
  }
}

/** @file The messages about an upload that does not continue, and what the user can do. */

import { duration, size } from "./format.js";
import { UnreadableFile } from "./file-digest.js";
import { Problem } from "./volume.js";

/**
 * @type {Record<string, string>} the advice by kind of failure, where an upload needs other advice
 *     than a pull
 */
const ADVICE = {
  "malformed-source":
    "The image is damaged, or is not what was chosen under Options. Check it with qemu-img check.",
  "unsupported-source":
    "Choose another format under Options, convert the image with qemu-img convert, or choose another one.",
  "digest-mismatch": "The bytes changed in transit, or the file changed during the upload. Start again.",
  "volume-full": "Use a larger volume, then upload the image again.",
  "volume-not-empty":
    "The disk is not from this service, which neither replaces nor deletes it. Empty the volume," +
    " or set POPULATOR_OVERWRITE=true, then start again.",
  cancelled: "Start again if you still want the volume.",
  "source-unavailable": "Start again.",
};

/** A problem whose text is written by this page, not by the service. */
class OwnProblem extends Problem {
  own = true;

  constructor(title, detail, advice, kind = "") {
    super({ title, detail, type: kind && `urn:pvc-populators:problem:${kind}` });
    this.ownAdvice = advice;
  }

  get advice() {
    return this.ownAdvice;
  }
}

/**
 * @param {{offset: number, complete: boolean}} there the offset and the state of another client's
 *     upload
 */
export function otherUpload(there) {
  return there.complete
    ? new OwnProblem(
        "The volume was made from another upload",
        "Another tab or program uploaded it first.",
        "Delete the volume to upload this file in its place.",
        "volume-busy",
      )
    : new OwnProblem(
        "Another upload is running",
        `Another tab or program has sent ${size(there.offset)} so far.`,
        "Wait until it ends, or cancel it.",
        "volume-busy",
      );
}

export function cancelledElsewhere() {
  return new OwnProblem(
    "The upload was cancelled",
    "The volume was deleted, with the received bytes.",
    ADVICE.cancelled,
    "cancelled",
  );
}

export function lostTooOften() {
  return new OwnProblem(
    "The service lost the upload several times",
    "It was restarted several times before the upload was complete.",
    "Check its log, then start again.",
  );
}

/** @param {number} bytes of the part */
export function proxyRefuses(bytes) {
  return new OwnProblem(
    "A proxy in front of the service refuses the upload",
    `It does not accept requests of ${size(bytes)}.`,
    "Raise the proxy's or Ingress's limit for request bodies, then start again.",
  );
}

/** @param {import("./file-digest.js").NotHashed} e */
export function notHashed({ reason }) {
  return new OwnProblem(
    "The page could not compute the file's SHA-256",
    reason === "" ? "The script for it could not be loaded." : reason,
    "Start again. If that fails, too, use another browser, or curl (see Options).",
  );
}

/** @param {unknown} e */
export function pageFailed(e) {
  return new OwnProblem("This page failed", String(e), "This is a defect. Please report it.");
}

/** @param {File} file */
export function emptyFile(file) {
  return new OwnProblem(
    "This file is empty",
    `${file.name} has no bytes.`,
    "Choose a disk image. A folder cannot be uploaded.",
  );
}

/** @param {string} name */
export function folder(name) {
  return new OwnProblem(
    "This is a folder",
    `${name} is not a file.`,
    "Drop a disk image, or upload the folder as a tar archive to unpack (see Options).",
  );
}

/**
 * @param {File} found
 * @param {{name: string, size: number, lastModified: number}} wanted
 */
export function otherFile(found, wanted) {
  const differences = [];
  if (found.name !== wanted.name) {
    differences.push(`its name is ${found.name}, not ${wanted.name}`);
  }
  if (found.size !== wanted.size) {
    differences.push(`it has ${size(found.size)}, not ${size(wanted.size)}`);
  }
  if (found.lastModified !== wanted.lastModified) {
    differences.push("its modification time differs");
  }
  return new OwnProblem(
    "This is another file",
    `The upload cannot continue with it: ${differences.join("; ")}.`,
    "Choose the same file, or start again with this one.",
  );
}

/**
 * Returns a problem with advice for an upload.
 *
 * @param {Problem | UnreadableFile} problem
 */
export function inWords(problem) {
  if (problem instanceof UnreadableFile) {
    return new OwnProblem(
      "The file cannot be read",
      `It was changed, moved or deleted during the upload (${problem.reason}).`,
      "Choose it again. The upload starts from the beginning, because the file may have changed.",
    );
  }
  const advice = ADVICE[problem.kind];
  if (advice === undefined || problem instanceof OwnProblem) {
    return problem;
  }
  return new OwnProblem(problem.title, problem.detail, advice, problem.kind);
}

/**
 * Returns the remaining time at a rate; empty if the rate is unknown or 0.
 *
 * @param {number} bytes the remaining bytes
 * @param {number | undefined} bytesPerSecond
 */
export function timeLeft(bytes, bytesPerSecond) {
  return bytesPerSecond > 0 ? `${duration(bytes / bytesPerSecond)} left` : "";
}

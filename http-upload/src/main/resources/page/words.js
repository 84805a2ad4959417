/** @file What a person is told of an upload that does not go on, and what to do about it. */

import { duration, size } from "./format.js";
import { UnreadableFile } from "./file-digest.js";
import { Problem } from "./volume.js";

/** @type {Record<string, string>} what to do, where an upload needs other words than a pull */
const ADVICE = {
  "malformed-source":
    "The image is damaged, or is not what was chosen under Options. Check it with qemu-img check.",
  "unsupported-source":
    "Choose another format under Options, convert the image with qemu-img convert, or take another one.",
  "digest-mismatch": "The bytes changed on their way, or the file while it was sent. Start again.",
  "volume-full": "Take a larger volume, then upload the image again.",
  "volume-not-empty":
    "This service did not make that disk, so it neither replaces nor deletes it. Empty the volume," +
    " or set POPULATOR_OVERWRITE=true, then start again.",
  cancelled: "Start again if you want the volume after all.",
  "source-unavailable": "Start again.",
};

/** A problem of our own, in the words of the page. */
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

/** @param {{offset: number, complete: boolean}} there the place of an upload that is not ours */
export function otherUpload(there) {
  return there.complete
    ? new OwnProblem(
        "The volume has been made of another upload",
        "Another tab or program was faster.",
        "Delete the volume to upload this file in its place.",
        "volume-busy",
      )
    : new OwnProblem(
        "Another upload is under way",
        `Another tab or program has sent ${size(there.offset)} so far.`,
        "Wait for its end, or cancel it.",
        "volume-busy",
      );
}

export function cancelledElsewhere() {
  return new OwnProblem(
    "The upload was cancelled",
    "Somebody deleted the volume, and with it what had arrived.",
    ADVICE.cancelled,
    "cancelled",
  );
}

export function lostTooOften() {
  return new OwnProblem(
    "The service lost the upload again and again",
    "It was restarted several times before the upload was complete.",
    "Look at its log, then start again.",
  );
}

/** @param {number} bytes of the part */
export function proxyRefuses(bytes) {
  return new OwnProblem(
    "Something between here and the service refuses the upload",
    `It takes no requests of ${size(bytes)}.`,
    "Raise the limit for request bodies of the proxy or ingress, then start again.",
  );
}

/** @param {import("./file-digest.js").NotHashed} e */
export function notHashed({ reason }) {
  return new OwnProblem(
    "The page could not compute the file's SHA-256",
    reason === "" ? "The script that does so could not be loaded." : reason,
    "Start again. If that fails, too, take another browser, or curl (see Options).",
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
    `${name} is no file.`,
    "Drop a disk image, or pack the folder as a tar archive and unpack that (see Options).",
  );
}

/**
 * @param {File} found
 * @param {{name: string, size: number, lastModified: number}} wanted
 */
export function otherFile(found, wanted) {
  const differences = [];
  if (found.name !== wanted.name) {
    differences.push(`it is called ${found.name}, not ${wanted.name}`);
  }
  if (found.size !== wanted.size) {
    differences.push(`it has ${size(found.size)}, not ${size(wanted.size)}`);
  }
  if (found.lastModified !== wanted.lastModified) {
    differences.push("it was changed at another time");
  }
  return new OwnProblem(
    "This is another file",
    `The upload cannot go on with it: ${differences.join("; ")}.`,
    "Choose the same file again, or start again with this one.",
  );
}

/**
 * What is wrong, as a problem that says what to do.
 *
 * @param {Problem | UnreadableFile} problem
 */
export function inWords(problem) {
  if (problem instanceof UnreadableFile) {
    return new OwnProblem(
      "The file cannot be read any more",
      `It was changed, moved or taken away while it was sent (${problem.reason}).`,
      "Choose it again: it is sent from its beginning, for what had arrived may not fit.",
    );
  }
  const advice = ADVICE[problem.kind];
  if (advice === undefined || problem instanceof OwnProblem) {
    return problem;
  }
  return new OwnProblem(problem.title, problem.detail, advice, problem.kind);
}

/**
 * How long it still takes, at a rate.
 *
 * @param {number} bytes that are left
 * @param {number | undefined} bytesPerSecond
 */
export function timeLeft(bytes, bytesPerSecond) {
  return bytesPerSecond > 0 ? `${duration(bytes / bytesPerSecond)} left` : "";
}

/** @file Decides whether a failed transfer may succeed if it is retried. */

import { NotHashed, UnreadableFile } from "./file-digest.js";
import { Problem } from "./volume.js";
import { notHashed, pageFailed } from "./words.js";

/** Statuses of proxies and of servers that are starting or stopping. */
const PASSING = [408, 425, 429, 500, 502, 503, 504];
/** Kinds of failures of the service that do not concern the file. */
const PASSING_KINDS = ["volume-busy", "cancelled", "source-unavailable"];
const TOO_LARGE = 413;

/**
 * @typedef {{permanent: boolean, cause: Problem | UnreadableFile, cut: boolean,
 *     restarted: boolean, partTooLarge: boolean}} Judgement `cut` if the service has not answered;
 *     `restarted` if the service may have lost the received bytes
 */

/**
 * @param {unknown} e
 * @returns {Judgement}
 */
export function judge(e) {
  const none = { cut: false, restarted: false, partTooLarge: false };
  if (e instanceof UnreadableFile) {
    return { ...none, permanent: true, cause: e };
  }
  if (e instanceof NotHashed) {
    // The service may have been restarting when it did not serve the script.
    return { ...none, permanent: false, cause: notHashed(e), restarted: true };
  }
  if (!(e instanceof Problem)) {
    console.error(e);
    return { ...none, permanent: true, cause: pageFailed(e) };
  }
  if (e.own === true) {
    return { ...none, permanent: true, cause: e };
  }
  const fromProxy = e.kind === "";
  const cut = e.status === 0 || (fromProxy && PASSING.includes(e.status));
  return {
    permanent: !cut && !e.locked && !passing(e),
    cause: e,
    cut,
    restarted: cut || e.kind === "source-unavailable",
    partTooLarge: fromProxy && e.status === TOO_LARGE,
  };
}

/** @param {Problem} problem */
export function passing({ kind }) {
  return PASSING_KINDS.includes(kind);
}

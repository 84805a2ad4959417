/** @file A problem in words, and what to do about it. */

import { size } from "./format.js";

const TYPE_PREFIX = "urn:pvc-populators:problem:";
const MOST_BYTES = 64 * 1024;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const PRECONDITION_FAILED = 412;

/**
 * A problem document (RFC 9457), as the services send it.
 *
 * @typedef {{type?: string, title?: string, status?: number, detail?: string, retryable?: boolean,
 *     requiredBytes?: number, availableBytes?: number, id?: string, at?: string}} ProblemDocument
 */

/** @type {Record<string, string>} what to do, by the kind of failure */
const ADVICE = {
  "invalid-request": "Correct the field or setting that the message names, then retry.",
  unauthenticated: "Enter a valid token.",
  "source-denied": "Give the service credentials for this image, then retry.",
  "source-not-found": "Check the image's name, tag, platform and path, then retry.",
  "malformed-source": "The image is damaged. Check it with qemu-img check, or make it again.",
  "unsupported-source": "Convert the image, for example with qemu-img convert, or use another one.",
  "digest-mismatch": "Retry. If it fails again, the source or a cache is corrupt.",
  "volume-full": "Use a larger volume, then retry.",
  "volume-failed": "Check the volume and the node for I/O errors, then retry.",
  "volume-busy": "Wait until the other operation has ended, or cancel it, then retry.",
  "volume-not-empty": "Delete the content of the volume, then retry.",
  cancelled: "Retry if you still want the volume.",
  "source-unavailable": "Check the network and the registry, then retry.",
};

/** A failure that can be shown. */
export class Problem extends Error {
  /** @param {ProblemDocument} document */
  constructor(document) {
    super(document.detail ?? document.title ?? "The operation failed without a reason");
    this.name = "Problem";
    this.document = document;
  }

  /** One line, the same for all failures of a kind. */
  get title() {
    return this.document.title ?? "The operation failed";
  }

  /** What happened, with names and figures. */
  get detail() {
    return this.document.detail ?? "";
  }

  /** The HTTP status; 0 if there was no answer. */
  get status() {
    return this.document.status ?? 0;
  }

  /** The kind of failure, such as `exceeds-volume`; empty if the type is not one of ours. */
  get kind() {
    const type = this.document.type ?? "";
    return type.startsWith(TYPE_PREFIX) ? type.slice(TYPE_PREFIX.length) : "";
  }

  /** Whether this service refuses access; false if a registry refuses access to this service. */
  get locked() {
    return this.status === UNAUTHORIZED || (this.status === FORBIDDEN && this.kind === "");
  }

  /** Whether the volume has another revision than the request expected. */
  get changed() {
    return this.status === PRECONDITION_FAILED;
  }

  get retryable() {
    return this.document.retryable === true;
  }

  /** What to do about the failure, in one or two sentences. */
  get advice() {
    const { requiredBytes, id } = this.document;
    if (this.kind === "exceeds-volume") {
      return requiredBytes > 0
        ? `Take a volume of at least ${size(requiredBytes)} for it.`
        : "Take a larger volume for it.";
    }
    if (this.kind === "bug") {
      return `This is a defect. Look for ${id ?? "the moment"} in the service's log, and report it.`;
    }
    return ADVICE[this.kind] ?? (this.retryable ? "Try again in a while." : "");
  }

  /** The problem if there is no answer. */
  static unreachable() {
    return new Problem({
      title: "The service cannot be reached",
      detail: "The connection failed or was interrupted.",
      status: 0,
      retryable: true,
    });
  }

  /** The problem if nothing was deleted, because the volume has changed since the user saw it. */
  static changed() {
    return new Problem({
      title: "The volume has changed; check it again",
      detail: "Nothing was deleted.",
      status: PRECONDITION_FAILED,
    });
  }

  /**
   * Reads the problem from an answer whose status is not a success.
   *
   * @param {Response} response
   */
  static async of(response) {
    const document = { status: response.status, title: `HTTP ${response.status}` };
    const retryable = response.status >= 500 || response.status === 429;
    if (!/[/+]json\b/.test(response.headers.get("Content-Type") ?? "")) {
      return new Problem({ ...document, retryable });
    }
    try {
      const text = await response.text();
      const told = text.length <= MOST_BYTES ? JSON.parse(text) : {};
      return new Problem({ ...document, retryable, ...told });
    } catch (e) {
      if (e instanceof SyntaxError || e instanceof TypeError) {
        return new Problem({ ...document, retryable });
      }
      throw e;
    }
  }
}

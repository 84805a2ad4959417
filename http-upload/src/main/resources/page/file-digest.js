/** @file The SHA-256 of a file, computed by a worker while the file is sent. */

const WORKER = new URL("hash-worker.js", import.meta.url).href;

/**
 * The number of bytes by which hashing may be ahead of sending. It is small enough that these bytes
 * are still in the system's memory when they are sent.
 */
const AHEAD_BYTES = 64 << 20;

/** A policy of Trusted Types that permits only this script as a worker. */
const scripts = globalThis.trustedTypes?.createPolicy("hash-worker", {
  createScriptURL: () => WORKER,
}) ?? { createScriptURL: () => WORKER };

/** Thrown if a file cannot be read, or can no longer be read. */
export class UnreadableFile extends Error {
  /** @param {string} reason the name of the browser's error */
  constructor(reason) {
    super(`Reading the file failed: ${reason}`);
    this.name = "UnreadableFile";
    this.reason = reason;
  }
}

/** Thrown if the worker was not loaded, or failed for another reason than the file. */
export class NotHashed extends Error {
  /** @param {string} reason the browser's message; empty if there is none */
  constructor(reason) {
    super(`Hashing the file failed: ${reason}`);
    this.name = "NotHashed";
    this.reason = reason;
  }
}

export class FileDigest {
  #worker = new Worker(scripts.createScriptURL(""), { type: "module" });
  #until = 0;
  /**
   * Whether hashing failed with {@link NotHashed}. Another attempt to hash the file may succeed.
   */
  broken = false;

  /**
   * The digest in lower-case hexadecimal; fails with {@link UnreadableFile} or {@link NotHashed}.
   * @type {Promise<string>}
   */
  value;

  /** @param {File} file */
  constructor(file) {
    this.value = new Promise((resolve, reject) => {
      this.#worker.addEventListener("message", ({ data }) =>
        data.digest === undefined ? reject(new UnreadableFile(data.error)) : resolve(data.digest),
      );
      // The worker reports an unreadable file by a message. This event means that the script failed
      // or was not loaded, for example because the service is starting.
      this.#worker.addEventListener("error", ({ message }) => {
        this.broken = true;
        reject(new NotHashed(message ?? ""));
      });
    });
    // A rejection before the first caller waits for the value must not count as unhandled.
    this.value.catch(() => {});
    this.#worker.postMessage({ file, until: AHEAD_BYTES });
  }

  /** @param {number} offset the offset that sending has reached */
  reached(offset) {
    if (offset + AHEAD_BYTES / 2 > this.#until) {
      this.#until = offset + AHEAD_BYTES;
      this.#worker.postMessage({ until: this.#until });
    }
  }

  stop() {
    this.#worker.terminate();
  }
}

/**
 * Checks that a file can be read at an offset. A failed request does not show whether the file was
 * the reason.
 *
 * @param {File} file
 * @param {number} offset
 * @throws {UnreadableFile}
 */
export async function requireReadable(file, offset) {
  try {
    await file.slice(offset, offset + 1).arrayBuffer();
  } catch (e) {
    throw new UnreadableFile(e.name);
  }
}

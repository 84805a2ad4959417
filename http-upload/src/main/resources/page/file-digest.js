/** @file The SHA-256 of a file, computed by a worker while the file is sent. */

const WORKER = new URL("hash-worker.js", import.meta.url).href;

/** How far hashing may go ahead of sending: what surely is in the system's memory still. */
const AHEAD_BYTES = 64 << 20;

/** Trusted Types let nothing but this one script become a worker. */
const scripts = globalThis.trustedTypes?.createPolicy("hash-worker", {
  createScriptURL: () => WORKER,
}) ?? { createScriptURL: () => WORKER };

/** Thrown where a file cannot be read, or not any more. */
export class UnreadableFile extends Error {
  /** @param {string} reason the name of the browser's error */
  constructor(reason) {
    super(`Reading the file failed: ${reason}`);
    this.name = "UnreadableFile";
    this.reason = reason;
  }
}

/** Thrown where nothing hashes: the worker was not loaded, or failed; not for the file's sake. */
export class NotHashed extends Error {
  /** @param {string} reason what the browser says; empty where it says nothing */
  constructor(reason) {
    super(`Hashing the file failed: ${reason}`);
    this.name = "NotHashed";
    this.reason = reason;
  }
}

export class FileDigest {
  #worker = new Worker(scripts.createScriptURL(""), { type: "module" });
  #until = 0;
  /** Whether it failed with {@link NotHashed}, and another one may succeed. */
  broken = false;

  /**
   * In lower-case hexadecimal; fails with {@link UnreadableFile} or {@link NotHashed}.
   * @type {Promise<string>}
   */
  value;

  /** @param {File} file */
  constructor(file) {
    this.value = new Promise((resolve, reject) => {
      this.#worker.addEventListener("message", ({ data }) =>
        data.digest === undefined ? reject(new UnreadableFile(data.error)) : resolve(data.digest),
      );
      // It tells by itself where the file cannot be read: this is the script, mostly one that a
      // service which was just starting did not serve.
      this.#worker.addEventListener("error", ({ message }) => {
        this.broken = true;
        reject(new NotHashed(message ?? ""));
      });
    });
    // Whoever waits for it hears of it; nobody may be waiting yet.
    this.value.catch(() => {});
    this.#worker.postMessage({ file, until: AHEAD_BYTES });
  }

  /** @param {number} offset that sending has reached */
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
 * Sees whether a file can be read at a place: a request that sends it does not say why it failed.
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

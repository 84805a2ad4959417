/**
 * @file Sends one file in parts, and continues after lost connections, refusals and restarts of the
 * service.
 */

import { FileDigest, NotHashed, requireReadable } from "./file-digest.js";
import { judge, passing } from "./judgement.js";
import { Speed } from "./speed.js";
import { finish, place, sendPart, statusNow } from "./upload-resource.js";
import { Problem, tokens } from "./volume.js";
import { cancelledElsewhere, lostTooOften, otherUpload, proxyRefuses } from "./words.js";

/**
 * The length of the first part. The service recognises each format by the first bytes of a file, so
 * it refuses a wrong format after this part.
 */
const FIRST_PART_BYTES = 1 << 20;
/**
 * The length of a part is limited, because proxies limit the duration and the size of a request.
 */
const LARGEST_PART_BYTES = 32 << 20;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;
/** Phases in which no volume is made from the sent bytes. */
const GONE = ["Absent", "Deleting"];
const MOST_RESTARTS = 3;
/** The number of failed attempts to hash the file after which the transfer fails. */
const MOST_UNHASHED = 5;

/**
 * @typedef {{file: File, handle?: FileSystemFileHandle, key: string, query: string,
 *     replaces?: string}} Sending the file, the key of its upload, the query of the first request,
 *     and the key of an earlier upload of this browser that it replaces
 * @typedef {"idle" | "sending" | "paused" | "waiting" | "locked" | "verifying" | "done" |
 *     "failed"} TransferState
 */

/** Dispatches `state` when the state changes, and `progress` while bytes are sent. */
export class Transfer extends EventTarget {
  /** @type {TransferState} */
  state = "idle";
  /** @type {Sending | undefined} */
  sending;
  /** The number of bytes that were sent or, if this is known, have arrived. */
  sent = 0;
  speed = new Speed();
  /** The file's SHA-256 in hexadecimal; empty while it is not known. */
  sha256 = "";
  /** @type {import("./judgement.js").Judgement["cause"] | undefined} why it waits or has failed */
  problem;
  /** How often the service has lost the received bytes. */
  restarts = 0;

  /** @type {FileDigest | undefined} */
  #digest;
  #ending = new AbortController();
  #partBytes = FIRST_PART_BYTES;
  #largestPart = LARGEST_PART_BYTES;
  /** Whether the service may have been restarted since the last part arrived. */
  #interrupted = false;
  /** The number of attempts in which the whole file was sent, but could not be hashed. */
  #unhashed = 0;
  #wake = () => {};

  constructor() {
    super();
    window.addEventListener("online", () => this.#wake());
    tokens.addEventListener("changed", () => this.#wake());
  }

  /** Whether a transfer has begun and not ended; it may be paused or waiting. */
  get active() {
    return ["sending", "paused", "waiting", "locked", "verifying"].includes(this.state);
  }

  /** @param {Sending} sending continues if the service has a part of this upload already */
  start(sending) {
    this.forget();
    this.sending = sending;
    this.sent = 0;
    this.sha256 = "";
    this.restarts = 0;
    this.#largestPart = LARGEST_PART_BYTES;
    this.#interrupted = false;
    this.#unhashed = 0;
    this.#hash();
    this.#run();
  }

  /** Starts to hash the file while it is sent. */
  #hash() {
    const digest = new FileDigest(this.sending.file);
    this.#digest = digest;
    digest.reached(this.sent);
    digest.value.then(
      (value) => {
        if (this.#digest === digest) {
          this.sha256 = value;
          this.dispatchEvent(new Event("progress"));
        }
      },
      // `#sendAll` waits for the same value, and reports the failure.
      () => {},
    );
  }

  pause() {
    this.#ending.abort();
    this.#interrupted = true;
    this.#tell("paused");
  }

  /**
   * Continues after {@link pause}. If the transfer waits for its next attempt, begins it at once.
   */
  resume() {
    if (this.state === "paused") {
      this.#run();
    } else {
      this.#wake();
    }
  }

  /**
   * Ends a paused transfer that cannot continue.
   *
   * @param {Problem} cause
   */
  fail(cause) {
    this.#digest?.stop();
    this.#tell("failed", cause);
  }

  /** Ends the transfer and forgets its file. */
  forget() {
    this.#ending.abort();
    this.#digest?.stop();
    this.#digest = undefined;
    this.sending = undefined;
    this.#tell("idle");
  }

  /** @returns {Promise<void>} resolves when the transfer has ended, or was paused */
  async #run() {
    const ending = new AbortController();
    this.#ending = ending;
    let wait = FIRST_WAIT_MS;
    for (;;) {
      this.#partBytes = FIRST_PART_BYTES;
      this.speed.restart();
      if (this.#digest.broken) {
        this.#hash();
      }
      this.#tell("sending");
      const before = this.sent;
      try {
        await this.#sendAll(ending.signal);
        this.#tell("done");
        return;
      } catch (e) {
        if (ending.signal.aborted) {
          return;
        }
        const problem = await this.#judge(e);
        if (ending.signal.aborted) {
          return;
        }
        if (problem.permanent) {
          this.#digest?.stop();
          this.#tell("failed", problem.cause);
          return;
        }
        wait = this.sent > before ? FIRST_WAIT_MS : wait;
        this.#tell(problem.cause.locked ? "locked" : "waiting", problem.cause);
        await this.#pause(problem.cause.locked ? Infinity : wait, ending.signal);
        if (ending.signal.aborted) {
          return;
        }
        wait = Math.min(2 * wait, LONGEST_WAIT_MS);
      }
    }
  }

  /** @param {AbortSignal} signal */
  async #sendAll(signal) {
    const { file } = this.sending;
    let offset = await this.#findPlace(signal);
    if (offset === undefined) {
      return;
    }
    this.#reached(offset);
    while (offset < file.size) {
      const begin = offset;
      const end = Math.min(begin + this.#partBytes, file.size);
      offset = await sendPart(this.sending, begin, end, signal, (bytes) =>
        this.#reached(Math.min(begin + bytes, end)),
      );
      this.#interrupted = false;
      this.#reached(offset);
      this.#partBytes = Math.min(2 * this.#partBytes, this.#largestPart);
    }
    this.#tell("verifying");
    const digest = await this.#digest.value;
    signal.throwIfAborted();
    await finish(this.sending, digest, signal);
  }

  /**
   * Finds the offset at which the service expects the file to continue.
   *
   * @param {AbortSignal} signal
   * @returns {Promise<number | undefined>} undefined if the service has made the volume from the
   *     file already
   */
  async #findPlace(signal) {
    const { file, key, replaces } = this.sending;
    const there = await place(signal);
    if (there.key !== "" && there.key === replaces && !there.complete) {
      return 0;
    }
    if (there.key === key && !there.complete) {
      return there.offset;
    }
    if (there.key === key) {
      this.#reached(file.size);
      this.#tell("verifying");
      await this.#made(signal);
      return undefined;
    }
    const status = await statusNow(signal);
    if (status.phase === "Ready" && this.sent === file.size) {
      // The response to the last request was lost.
      await this.#madeOfThis(status);
      return undefined;
    }
    if (there.key !== "" || there.offset > 0 || there.complete) {
      throw otherUpload(there);
    }
    return this.sent === 0 ? 0 : this.#lost(status);
  }

  /**
   * Decides what to do if the service has lost the received bytes.
   *
   * @param {import("./volume.js").Status} status
   */
  #lost({ failure }) {
    const problem = failure && new Problem(failure);
    if (problem && !passing(problem)) {
      throw problem;
    }
    if (!this.#interrupted) {
      throw cancelledElsewhere();
    }
    this.restarts++;
    if (this.restarts > MOST_RESTARTS) {
      throw lostTooOften();
    }
    this.sent = 0;
    return 0;
  }

  /** Waits until the service has made the volume from the received bytes. */
  async #made(signal) {
    for (;;) {
      const status = await statusNow(signal);
      if (status.phase === "Ready") {
        return this.#madeOfThis(status);
      }
      if (status.failure !== undefined) {
        throw new Problem(status.failure);
      }
      if (GONE.includes(status.phase)) {
        throw cancelledElsewhere();
      }
      await this.#pause(FIRST_WAIT_MS, signal);
      signal.throwIfAborted();
    }
  }

  /** @param {import("./volume.js").Status} status */
  async #madeOfThis({ sourceDigest }) {
    const digest = await this.#digest.value;
    if (sourceDigest !== `sha256:${digest}`) {
      throw otherUpload({ offset: 0, complete: true });
    }
  }

  /**
   * Decides whether a retry may succeed, and prepares the retry.
   *
   * @param {unknown} e
   */
  async #judge(e) {
    const judgement = judge(e);
    if (e instanceof NotHashed && ++this.#unhashed >= MOST_UNHASHED) {
      return { permanent: true, cause: judgement.cause };
    }
    if (judgement.partTooLarge) {
      const refused = this.#partBytes;
      this.#largestPart = FIRST_PART_BYTES;
      return refused > FIRST_PART_BYTES
        ? { permanent: false, cause: judgement.cause }
        : { permanent: true, cause: proxyRefuses(refused) };
    }
    if (judgement.cut) {
      try {
        await requireReadable(this.sending.file, this.sent);
      } catch (unreadable) {
        return { permanent: true, cause: unreadable };
      }
    }
    this.#interrupted ||= judgement.restarted;
    return judgement;
  }

  /** @param {number} offset */
  #reached(offset) {
    this.sent = offset;
    this.speed.mark(offset);
    this.#digest?.reached(offset);
    this.dispatchEvent(new Event("progress"));
  }

  /**
   * Waits for a time, or until `#wake` is called or the signal is aborted.
   *
   * @param {number} milliseconds Infinity for no limit
   * @param {AbortSignal} signal
   */
  #pause(milliseconds, signal) {
    return new Promise((resolve) => {
      const timer = Number.isFinite(milliseconds) ? setTimeout(() => this.#wake(), milliseconds) : 0;
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = () => {};
        resolve(undefined);
      };
      signal.addEventListener("abort", () => this.#wake(), { once: true });
    });
  }

  /**
   * @param {TransferState} state
   * @param {import("./judgement.js").Judgement["cause"]} [problem]
   */
  #tell(state, problem) {
    this.state = state;
    this.problem = problem;
    this.dispatchEvent(new Event("state"));
  }
}

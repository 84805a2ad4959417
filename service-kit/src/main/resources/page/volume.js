/** @file The volume, as the service reports it live. */

import { eventsOf } from "./events.js";
import { Onlooker } from "./onlooker.js";
import { Problem } from "./problem.js";
import { authorisedFetch, tokens } from "./token.js";

export { Problem } from "./problem.js";
export {
  addressOf,
  authorisation,
  authorisedFetch,
  refused,
  tokenOption,
  tokens,
} from "./token.js";

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;
/**
 * A connection that is silent for this time counts as lost. The service sends an event or a comment
 * at least every 15 seconds.
 */
const SILENCE_MS = 40_000;
const FAILURES_EVERY_MS = 30_000;
const OK = 200;

/**
 * @typedef {{kind: "layer" | "lun", name: string,
 *     state: "waiting" | "moving" | "done" | "skipped" | "failed",
 *     done: number, total?: number}} Part
 * @typedef {{phase: "Absent" | "Pending" | "Transferring" | "Finalizing" | "Ready" | "Failed" |
 *     "Deleting", bytesIn: number, bytesOut: number, totalBytes?: number, percent?: number,
 *     bytesPerSecond: number, etaSeconds?: number, sourceDigest?: string, format?: string,
 *     virtualSize?: number, details?: Record<string, any>, parts?: Part[], revision: string,
 *     started?: string, finished?: string, source?: object,
 *     failure?: import("./problem.js").ProblemDocument}} Status
 * @typedef {"connecting" | "live" | "lost" | "locked"} Connection
 */

/**
 * Follows the volume, and dispatches events with this `detail`:
 *
 * - `status`, a {@link Status}, whenever it has changed
 * - `connection`, a {@link Connection}, whenever it has changed
 * - `failures`, an array of problem documents with `at`, the newest first
 * - `source`, the YAML by which a machine refers to the volume; empty if there is none
 */
export class Volume extends EventTarget {
  /** @type {Status | undefined} */
  status;
  /** @type {Connection} */
  connection = "connecting";
  /** @type {import("./problem.js").ProblemDocument[]} */
  failures = [];
  source = "";

  #told = "";
  #sourceTold = "";
  #failuresTold = "";
  #waking = () => {};
  #ending = new AbortController();
  #anew = false;
  /** Whether the service has refused the token that it had accepted for the stream. */
  #refused = false;
  /** All tabs of a browser share six connections to a host, so a hidden tab uses no connection. */
  #onlooker = new Onlooker();

  /** Begins to follow, and continues as long as the page exists. */
  follow() {
    tokens.addEventListener("changed", () => this.again());
    window.addEventListener("online", () => this.again());
    this.#onlooker.addEventListener("gone", () => this.#ending.abort());
    this.#onlooker.addEventListener("back", () => this.again());
    setInterval(() => {
      if (document.visibilityState === "visible" && this.connection === "live") {
        this.#askFailures();
      }
    }, FAILURES_EVERY_MS);
    this.#followForEver();
  }

  /** Connects again at once, for example with another token or over another network. */
  again() {
    this.#anew = true;
    this.#ending.abort();
    this.#waking();
  }

  /**
   * Requests the volume and does not wait for it.
   *
   * @param {Record<string, string>} fields that override the service's settings
   * @throws {Problem}
   */
  async make(fields = {}) {
    const body = Object.keys(fields).length > 0 ? { body: JSON.stringify(fields) } : {};
    await authorisedFetch("volume", {
      method: "PUT",
      headers: {
        Prefer: "respond-async",
        Accept: "application/json",
        "Content-Type": "application/json",
      },
      ...body,
    });
  }

  /**
   * Cancels the creation or removes the volume, if it still has the given revision. Resolves
   * when nothing is left.
   *
   * @param {string} revision of the status that the person has seen
   * @throws {Problem}
   */
  async remove(revision) {
    try {
      const headers = { "If-Match": `"${revision}"` };
      await authorisedFetch("volume", { method: "DELETE", headers });
    } catch (e) {
      throw e instanceof Problem && e.changed ? Problem.changed() : e;
    }
  }

  async #followForEver() {
    let wait = FIRST_WAIT_MS;
    for (;;) {
      while (this.#onlooker.gone) {
        await this.#pause(Infinity);
      }
      const since = performance.now();
      this.#anew = false;
      const problem = await this.#followOnce();
      if (this.#anew || this.#onlooker.gone) {
        // With this value, the next state of the connection is dispatched even if it equals the
        // last one.
        this.connection = "connecting";
        wait = FIRST_WAIT_MS;
        continue;
      }
      const locked = problem.locked;
      this.#connected(locked ? "locked" : "lost");
      // After a connection that lasted for a while, the next attempt follows soon.
      wait = performance.now() - since > LONGEST_WAIT_MS ? FIRST_WAIT_MS : wait;
      await this.#pause(locked ? Infinity : wait);
      this.#connected("connecting");
      wait = locked ? FIRST_WAIT_MS : Math.min(2 * wait, LONGEST_WAIT_MS);
    }
  }

  /** @returns {Promise<Problem>} the reason why the connection has ended */
  async #followOnce() {
    const ending = new AbortController();
    this.#ending = ending;
    let silence = setTimeout(() => ending.abort(), SILENCE_MS);
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => ending.abort(), SILENCE_MS);
    };
    try {
      const response = await authorisedFetch("volume/status?follow=true", {
        headers: { Accept: "text/event-stream" },
        signal: ending.signal,
      });
      this.#refused = false;
      this.#connected("live");
      this.#told = "";
      this.#sourceTold = "";
      this.#askFailures();
      for await (const event of eventsOf(response, heard)) {
        if (event.name === "status") {
          this.#tell(event.data);
        }
      }
      return Problem.unreachable();
    } catch (e) {
      // The connection was lost or was silent for too long, or the stream is invalid.
      return e instanceof Problem ? e : Problem.unreachable();
    } finally {
      clearTimeout(silence);
      ending.abort();
    }
  }

  /**
   * Waits for a time, or until {@link again} is called.
   *
   * @param {number} milliseconds Infinity to wait only for that call
   */
  #pause(milliseconds) {
    return new Promise((resolve) => {
      const timer = Number.isFinite(milliseconds)
        ? setTimeout(() => this.#waking(), milliseconds * (1 + Math.random() / 4))
        : undefined;
      this.#waking = () => {
        clearTimeout(timer);
        this.#waking = () => {};
        resolve(undefined);
      };
    });
  }

  /** @param {string} text a status document */
  #tell(text) {
    if (text === this.#told) {
      return;
    }
    this.#told = text;
    const before = this.status;
    const status = /** @type {Status} */ (JSON.parse(text));
    this.status = status;
    this.#dispatch("status", status);
    if (before?.phase !== status.phase) {
      this.#askFailures();
    }
    const source = JSON.stringify(status.source ?? null);
    if (source !== this.#sourceTold) {
      this.#sourceTold = source;
      this.#askSource(status.source !== undefined);
    }
  }

  async #askFailures() {
    const text = await this.#ask("volume/status/failures", "application/json");
    if (text !== undefined && text !== this.#failuresTold) {
      this.#failuresTold = text;
      this.failures = JSON.parse(text);
      this.#dispatch("failures", this.failures);
    }
  }

  /** @param {boolean} there whether there is a source to request */
  async #askSource(there) {
    const told = this.#sourceTold;
    const text = there ? await this.#ask("volume", "application/yaml") : "";
    if (told !== this.#sourceTold) {
      // During the request, the source of the status has changed.
      return;
    }
    this.source = text ?? "";
    this.#dispatch("source", this.source);
  }

  /**
   * Requests a document that the stream does not contain.
   *
   * @returns {Promise<string | undefined>} undefined if the document is not available. Then the
   *     volume is gone, or the stream ends, too, and the page requests all documents again with the
   *     next stream
   */
  async #ask(path, mediaType) {
    if (this.#refused) {
      return undefined;
    }
    try {
      const response = await authorisedFetch(path, { headers: { Accept: mediaType } });
      return response.status === OK ? await response.text() : undefined;
    } catch (e) {
      if (e instanceof Problem || e instanceof TypeError) {
        this.#refused ||= e instanceof Problem && e.locked;
        return undefined;
      }
      throw e;
    }
  }

  /** @param {Connection} connection */
  #connected(connection) {
    // Between two attempts the connection stays lost, so that the page does not flicker.
    if (connection === "connecting" || connection === this.connection) {
      return;
    }
    this.connection = connection;
    this.#dispatch("connection", connection);
  }

  #dispatch(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

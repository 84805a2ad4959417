/** @file The volume as the service tells of it, live. */

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
/** The service says something every 15 seconds at the least. */
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
 * Follows the volume. Tells by events, whose `detail` is what there is to know:
 *
 * - `status`, a {@link Status}, whenever it has changed
 * - `connection`, a {@link Connection}, whenever that has changed
 * - `failures`, an array of problem documents with `at`, the newest first
 * - `source`, the YAML that a machine refers to the volume by; empty where there is none
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
  /** Whether the service wants another token than the one that it took for the stream. */
  #refused = false;
  /** A browser has six connections for all tabs of a host: one that nobody sees takes none. */
  #onlooker = new Onlooker();

  /** Begins to follow, and goes on for as long as the page is there. */
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

  /** Connects anew and at once: with another token, or by another network. */
  again() {
    this.#anew = true;
    this.#ending.abort();
    this.#waking();
  }

  /**
   * Asks for the volume and does not wait for it.
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
   * Cancels what is being made, or removes what is there, where nobody has made, finished or
   * removed one since it was looked at; answers when nothing is left.
   *
   * @param {string} revision of the status that was looked at
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
        // Whoever waits for an answer to a new token, or comes back, hears of it.
        this.connection = "connecting";
        wait = FIRST_WAIT_MS;
        continue;
      }
      const locked = problem.locked;
      this.#connected(locked ? "locked" : "lost");
      // A connection that held for a while is not one that fails at once.
      wait = performance.now() - since > LONGEST_WAIT_MS ? FIRST_WAIT_MS : wait;
      await this.#pause(locked ? Infinity : wait);
      this.#connected("connecting");
      wait = locked ? FIRST_WAIT_MS : Math.min(2 * wait, LONGEST_WAIT_MS);
    }
  }

  /** @returns {Promise<Problem>} why it has ended */
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
      // Cut, silent for too long, or not what our service says: in any case no connection to it.
      return e instanceof Problem ? e : Problem.unreachable();
    } finally {
      clearTimeout(silence);
      ending.abort();
    }
  }

  /**
   * Waits, or until {@link again}.
   *
   * @param {number} milliseconds Infinity for until then only
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

  /** @param {boolean} there whether there is something to ask for */
  async #askSource(there) {
    const told = this.#sourceTold;
    const text = there ? await this.#ask("volume", "application/yaml") : "";
    if (told !== this.#sourceTold) {
      // Meanwhile there is another one, or none.
      return;
    }
    this.source = text ?? "";
    this.#dispatch("source", this.source);
  }

  /**
   * What is asked for beside the stream.
   *
   * @returns {Promise<string | undefined>} nothing where it cannot be had: then the stream is cut,
   *     too, and all is asked for again with the next one; or the volume has gone meanwhile
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
    // Between two tries it is still lost: whoever looks wants no flicker.
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

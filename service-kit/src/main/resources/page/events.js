/** @file Server-sent events over `fetch`, because an `EventSource` cannot send a token. */

/** Characters of one event: 256 parts and as many LUNs have a fifth of it. */
const MOST = 1 << 20;

/**
 * Cuts a stream of text into events (HTML, "Server-sent events", section 9.2.6). Of their fields,
 * those that our services send are known: `event` and `data`; whoever sends more than a bounded
 * event is not our service.
 */
export class EventParser {
  #rest = "";
  #name = "";
  #data = [];
  #length = 0;

  /**
   * @param {string} text what has come
   * @returns {{name: string, data: string}[]} the events that it completes
   * @throws {RangeError} where an event has no end
   */
  push(text) {
    const events = [];
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = this.#line(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (event !== undefined) {
        events.push(event);
      }
    }
    if (this.#rest.length + this.#length > MOST) {
      throw new RangeError(`Reading an event: expected at most ${MOST} characters, found more`);
    }
    return events;
  }

  #line(line) {
    if (line === "") {
      return this.#end();
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") {
      this.#name = value;
    } else if (field === "data") {
      this.#data.push(value);
      this.#length += value.length;
    }
    return undefined;
  }

  #end() {
    const event = { name: this.#name || "message", data: this.#data.join("\n") };
    const empty = this.#data.length === 0;
    this.#name = "";
    this.#data = [];
    this.#length = 0;
    return empty ? undefined : event;
  }
}

/**
 * The events of an answer, until it ends.
 *
 * @param {Response} response
 * @param {() => void} onBytes called for whatever comes, heartbeats too
 */
export async function* eventsOf(response, onBytes) {
  const parser = new EventParser();
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      onBytes();
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    reader.releaseLock();
  }
}

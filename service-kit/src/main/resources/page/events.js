/** @file Server-sent events over `fetch`, because an `EventSource` cannot send a token. */

/**
 * The maximum number of characters of an incomplete event. A status with 256 parts and 256 LUNs
 * needs a fifth of it.
 */
const MOST = 1 << 20;

/**
 * Parses a stream of text as events (HTML, "Server-sent events", section 9.2.6). Reads the fields
 * `event` and `data`, and ignores other fields, such as `retry`. The events of our services never
 * exceed {@link MOST}.
 */
export class EventParser {
  #rest = "";
  #name = "";
  #data = [];
  #length = 0;

  /**
   * @param {string} text the text that has arrived
   * @returns {{name: string, data: string}[]} the events that end in this text
   * @throws {RangeError} if an incomplete event is too long
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
 * Yields the events of an answer until the answer ends.
 *
 * @param {Response} response
 * @param {() => void} onBytes called whenever bytes arrive, also for heartbeats
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

/**
 * @file The path `upload` as its clients see it: how far an upload is, and requests that bring a
 * part of it
 * (draft-ietf-httpbis-resumable-upload; `Upload-Key` and `Upload-Replaces` are our own).
 */

import { authorisation, authorisedFetch, Problem, refused } from "./volume.js";

const PATH = "upload";
const NO_CONTENT = 204;
/** What has its own begin or end between two requests is looked at anew; that happens once. */
const MOST_LOOKS = 3;
/** A line on which nothing has moved for so long is dead, whatever the system believes. */
const SILENCE_MS = 30_000;

/**
 * @typedef {{key: string, offset: number, length: number | undefined, complete: boolean}} Place
 */

/**
 * Asks how far the upload is that the service has, whosever it is.
 *
 * @param {AbortSignal} [signal]
 * @returns {Promise<Place>}
 * @throws {Problem}
 */
export async function place(signal) {
  const { headers } = await answer(PATH, { method: "HEAD" }, signal, (response) => response);
  return {
    key: headers.get("Upload-Key") ?? "",
    offset: Number(headers.get("Upload-Offset") ?? 0),
    length: headers.has("Upload-Length") ? Number(headers.get("Upload-Length")) : undefined,
    complete: headers.get("Upload-Complete") === "?1",
  };
}

/**
 * What the volume is like at this moment.
 *
 * @param {AbortSignal} [signal]
 * @returns {Promise<import("./volume.js").Status>}
 * @throws {Problem}
 */
export async function statusNow(signal) {
  const options = { headers: { Accept: "application/json" } };
  return answer("volume/status", options, signal, (response) => response.json());
}

/**
 * Asks for what is answered at once, and takes no answer for a line that is cut.
 *
 * @template T
 * @param {string} path
 * @param {RequestInit} options
 * @param {AbortSignal | undefined} signal
 * @param {(response: Response) => T | Promise<T>} read what is wanted of the answer
 * @returns {Promise<T>}
 * @throws {Problem}
 */
async function answer(path, options, signal, read) {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const end = () => ending.abort();
  const watchdog = setTimeout(end, SILENCE_MS);
  signal?.addEventListener("abort", end);
  try {
    return await read(await authorisedFetch(path, { ...options, signal: ending.signal }));
  } catch (e) {
    // A TypeError: cut within the answer.
    const cut = (ending.signal.aborted && !signal?.aborted) || e instanceof TypeError;
    throw cut ? Problem.unreachable() : e;
  } finally {
    clearTimeout(watchdog);
    signal?.removeEventListener("abort", end);
  }
}

/**
 * Throws away what has arrived of an upload, and nothing of anybody else's.
 *
 * @param {string} key
 * @param {import("./volume.js").Volume} volume
 * @throws {Problem} also where there is somebody else's by now
 */
export async function cancelUpload(key, volume) {
  for (let looks = 1; ; looks++) {
    // In this order: where the upload is there after its revision was told, no other has that one.
    const { phase, revision } = await statusNow();
    const there = await place();
    if (there.key !== key) {
      if (there.key !== "" || there.offset > 0 || phase === "Ready") {
        throw Problem.changed();
      }
      return;
    }
    try {
      await volume.remove(revision);
      return;
    } catch (e) {
      if (!(e instanceof Problem && e.changed) || looks === MOST_LOOKS) {
        throw e;
      }
    }
  }
}

/** What a client calls its upload, so that it finds it again. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join(
    "-",
  );
}

/**
 * Brings a part of a file that is not its end; the first part begins the upload.
 *
 * @param {import("./transfer.js").Sending} sending
 * @param {number} offset
 * @param {number} end
 * @param {AbortSignal} signal ends it with an `AbortError`
 * @param {(bytes: number) => void} progress told how many bytes of the part have gone out
 * @returns {Promise<number>} how many bytes the service has now
 * @throws {Problem}
 */
export async function sendPart({ file, key, query, replaces }, offset, end, signal, progress) {
  const headers = { "Upload-Key": key, "Upload-Complete": "?0" };
  const part = file.slice(offset, end);
  const arrived =
    offset === 0
      ? await request("PUT", PATH + query, part, signal, progress, {
          ...headers,
          ...(replaces === undefined ? {} : { "Upload-Replaces": replaces }),
          "Content-Type": "application/octet-stream",
          "Content-Range": `bytes 0-${end - 1}/${file.size}`,
        })
      : await request("PATCH", PATH, part, signal, progress, {
          ...headers,
          "Content-Type": "application/partial-upload",
          "Upload-Offset": String(offset),
          "Upload-Length": String(file.size),
        });
  return Number(arrived.getResponseHeader("Upload-Offset") ?? end);
}

/**
 * Says that this was the whole, and what digest it has to have; answers when the volume is ready.
 *
 * @param {import("./transfer.js").Sending} sending
 * @param {string} digest SHA-256 in hexadecimal
 * @param {AbortSignal} signal
 * @throws {Problem}
 */
export async function finish({ file, key }, digest, signal) {
  const bytes = digest.match(/../g).map((pair) => Number.parseInt(pair, 16));
  await request("PATCH", PATH, null, signal, undefined, {
    "Content-Type": "application/partial-upload",
    "Upload-Key": key,
    "Upload-Offset": String(file.size),
    "Upload-Complete": "?1",
    "Repr-Digest": `sha-256=:${btoa(String.fromCharCode(...bytes))}:`,
  });
}

/**
 * By XMLHttpRequest, which tells how much of a body has gone out; `fetch` does not.
 *
 * @param {string} method
 * @param {string} path
 * @param {Blob | null} body
 * @param {AbortSignal} signal
 * @param {((bytes: number) => void) | undefined} progress also bounds how long nothing may happen
 * @param {Record<string, string>} headers
 * @returns {Promise<XMLHttpRequest>} with a status of success
 */
function request(method, path, body, signal, progress, headers) {
  signal.throwIfAborted();
  const { promise, resolve, reject } = withResolvers();
  const xhr = new XMLHttpRequest();
  xhr.open(method, path);
  for (const [name, value] of Object.entries({ ...headers, ...authorisation() })) {
    xhr.setRequestHeader(name, value);
  }
  const abort = () => xhr.abort();
  let watchdog = 0;
  const heard = () => {
    clearTimeout(watchdog);
    watchdog = progress === undefined ? 0 : setTimeout(abort, SILENCE_MS);
  };
  xhr.upload.addEventListener("progress", (event) => {
    heard();
    progress?.(event.loaded);
  });
  xhr.addEventListener("load", async () => {
    if (xhr.status >= 200 && xhr.status < 300) {
      resolve(xhr);
      return;
    }
    const problem = await Problem.of(responseOf(xhr));
    if (problem.locked) {
      refused(problem);
    }
    reject(problem);
  });
  xhr.addEventListener("error", () => reject(Problem.unreachable()));
  xhr.addEventListener("abort", () => reject(signal.reason ?? Problem.unreachable()));
  xhr.addEventListener("loadend", () => {
    clearTimeout(watchdog);
    signal.removeEventListener("abort", abort);
  });
  signal.addEventListener("abort", abort);
  heard();
  xhr.send(body);
  return promise;
}

/** @param {XMLHttpRequest} xhr */
function responseOf(xhr) {
  return new Response(xhr.status === NO_CONTENT ? null : xhr.responseText, {
    status: xhr.status,
    headers: { "Content-Type": xhr.getResponseHeader("Content-Type") ?? "" },
  });
}

/** As `Promise.withResolvers`, which is younger than the browsers that people have. */
function withResolvers() {
  let resolve = (_) => {};
  let reject = (_) => {};
  const promise = new Promise((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

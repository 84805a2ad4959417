/**
 * @file The requests to the path `upload`: read the offset of the upload, and send parts of a file
 * (draft-ietf-httpbis-resumable-upload; `Upload-Key` and `Upload-Replaces` are fields of this
 * service).
 */

import { authorisation, authorisedFetch, Problem, refused } from "./volume.js";

const PATH = "upload";
const NO_CONTENT = 204;
/**
 * The maximum number of attempts to cancel an upload. An attempt fails if the volume's revision
 * changes between its requests.
 */
const MOST_LOOKS = 3;
/** A connection without progress for this time counts as lost. */
const SILENCE_MS = 30_000;

/**
 * @typedef {{key: string, offset: number, length: number | undefined, complete: boolean}} Place
 */

/**
 * Reads the offset of the service's upload, even if another client began it.
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
 * Reads the present status of the volume.
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
 * Sends a request that the service answers at once. A missing answer counts as a lost connection.
 *
 * @template T
 * @param {string} path
 * @param {RequestInit} options
 * @param {AbortSignal | undefined} signal
 * @param {(response: Response) => T | Promise<T>} read returns the result from the response
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
    // A TypeError means that the connection was lost during the response.
    const cut = (ending.signal.aborted && !signal?.aborted) || e instanceof TypeError;
    throw cut ? Problem.unreachable() : e;
  } finally {
    clearTimeout(watchdog);
    signal?.removeEventListener("abort", end);
  }
}

/**
 * Discards the received bytes of an upload, but not those of another upload.
 *
 * @param {string} key
 * @param {import("./volume.js").Volume} volume
 * @throws {Problem} also if there is another upload or a ready volume instead of this upload
 */
export async function cancelUpload(key, volume) {
  for (let looks = 1; ; looks++) {
    // The order matters: if the upload still exists after the revision was read, the revision
    // belongs to this upload.
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

/** Returns a random key, by which a client recognises its upload. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join(
    "-",
  );
}

/**
 * Sends a part of a file without marking the end of the upload. The first part begins the upload.
 *
 * @param {import("./transfer.js").Sending} sending
 * @param {number} offset
 * @param {number} end
 * @param {AbortSignal} signal ends the request with an `AbortError`
 * @param {(bytes: number) => void} progress gets the number of sent bytes of the part
 * @returns {Promise<number>} the number of bytes that the service has received
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
 * Marks the end of the upload, and sends its digest. Resolves when the volume is ready.
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
 * Sends a request by XMLHttpRequest, which reports how much of a body was sent; `fetch` does not.
 *
 * @param {string} method
 * @param {string} path
 * @param {Blob | null} body
 * @param {AbortSignal} signal
 * @param {((bytes: number) => void) | undefined} progress gets the number of sent bytes; if it is
 *     present, the request is aborted after {@link SILENCE_MS} without progress
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

/** As `Promise.withResolvers`, which older browsers lack. */
function withResolvers() {
  let resolve = (_) => {};
  let reject = (_) => {};
  const promise = new Promise((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

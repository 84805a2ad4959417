/**
 * @file The token, and requests that carry it. The token is kept for this tab only, and is never
 * part of a URL.
 */

import { Problem } from "./problem.js";

/** The URL of the page: its path is `/`, or the prefix that a proxy adds. */
const BASE = new URL(".", document.baseURI);

/**
 * The key of the token in the browser's storage. The key contains the path, because all services
 * behind one proxy have the same origin, and no service may get the token of another service.
 */
const KEY = `pvc-populators.token ${BASE.pathname}`;

/**
 * Dispatches `locked` if the service requires a token or refuses the present one, and `changed` if
 * the token was replaced or forgotten.
 */
export const tokens = new EventTarget();

let held = kept();

/** @returns {string} empty if there is none */
export function token() {
  return held;
}

/** @param {string} value empty to forget it */
export function useToken(value) {
  held = value;
  keep(value);
  tokens.dispatchEvent(new Event("changed"));
}

/** Returns the token that this tab had before a reload of the page. */
function kept() {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch (e) {
    return unlessBlocked(e, "");
  }
}

function keep(value) {
  try {
    if (value === "") {
      sessionStorage.removeItem(KEY);
    } else {
      sessionStorage.setItem(KEY, value);
    }
  } catch (e) {
    unlessBlocked(e, undefined);
  }
}

/**
 * Ignores the error of a browser that blocks the storage. The token then lasts until a reload of
 * the page.
 */
function unlessBlocked(e, otherwise) {
  if (e instanceof DOMException) {
    return otherwise;
  }
  throw e;
}

/**
 * Returns the headers that authorise a request. The token is not in `Authorization`, because the
 * API server's proxies remove that field.
 */
export function authorisation() {
  const value = token();
  return value === "" ? {} : { "X-Populator-Token": value };
}

/** Returns the same header as an option of curl, with a space before it; empty without a token. */
export function tokenOption() {
  return token() === "" ? "" : ' -H "X-Populator-Token: $TOKEN"';
}

/**
 * @param {string} path relative to the page, such as `volume`
 * @returns {string} the whole address
 */
export function addressOf(path) {
  return new URL(path, BASE).href;
}

/**
 * Reports that the service refuses access; for code that does not use {@link authorisedFetch}.
 *
 * @param {Problem} problem
 */
export function refused(problem) {
  tokens.dispatchEvent(new CustomEvent("locked", { detail: problem }));
}

/**
 * Sends a request as `fetch` does, with the token.
 *
 * @param {string} path relative to the page, so that a proxy may add a prefix
 * @param {RequestInit} [options]
 * @returns {Promise<Response>} an answer with a status of success
 * @throws {Problem} if the answer has another status, or there is no answer
 * @throws {DOMException} if the caller aborted the request
 */
export async function authorisedFetch(path, options = {}) {
  let response;
  try {
    response = await fetch(path, {
      cache: "no-store",
      ...options,
      headers: { ...options.headers, ...authorisation() },
    });
  } catch (e) {
    throw e instanceof TypeError ? Problem.unreachable() : e;
  }
  if (!response.ok) {
    const problem = await Problem.of(response);
    if (problem.locked) {
      refused(problem);
    }
    throw problem;
  }
  return response;
}

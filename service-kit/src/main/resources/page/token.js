/**
 * @file The token, and requests that carry it. The token is kept for this tab only, and is never
 * part of a URL.
 */

import { Problem } from "./problem.js";

/** The URL of the page: `/`, or the prefix that a proxy has for it. */
const BASE = new URL(".", document.baseURI);

/** Behind one proxy all services have one origin, and no service may get the token of another. */
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

/** Returns the token from before a reload of the page. */
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

/** If the browser blocks the storage, the token lasts until a reload of the page. */
function unlessBlocked(e, otherwise) {
  if (e instanceof DOMException) {
    return otherwise;
  }
  throw e;
}

/**
 * Returns the headers that authorise a request. They are not `Authorization`, because the API
 * server's proxies remove that field.
 */
export function authorisation() {
  const value = token();
  return value === "" ? {} : { "X-Populator-Token": value };
}

/** Returns the same as an option of curl, after a space; empty if there is no token. */
export function tokenOption() {
  return token() === "" ? "" : ' -H "X-Populator-Token: $TOKEN"';
}

/**
 * @param {string} path below the page: `volume`
 * @returns {string} the whole address
 */
export function addressOf(path) {
  return new URL(path, BASE).href;
}

/**
 * Reports that the service refuses access; for code that sends its own requests.
 *
 * @param {Problem} problem
 */
export function refused(problem) {
  tokens.dispatchEvent(new CustomEvent("locked", { detail: problem }));
}

/**
 * As `fetch`, with the token.
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

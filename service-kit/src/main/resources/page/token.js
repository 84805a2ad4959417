/**
 * @file The token, and requests that carry it. It is kept for this tab only, and never in an
 * address.
 */

import { Problem } from "./problem.js";

/** Where the page is: `/`, or what a proxy has in front of it. */
const BASE = new URL(".", document.baseURI);

/** Behind one proxy all services have one origin, and none may get the token of another one. */
const KEY = `pvc-populators.token ${BASE.pathname}`;

/**
 * Tells of the token: `locked` when the service wants one, or another one; `changed` when there is
 * a new one, or none any more.
 */
export const tokens = new EventTarget();

let held = kept();

/** @returns {string} empty where there is none */
export function token() {
  return held;
}

/** @param {string} value empty to forget it */
export function useToken(value) {
  held = value;
  keep(value);
  tokens.dispatchEvent(new Event("changed"));
}

/** What was kept before the page was loaded anew. */
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

/** Where the browser lets pages keep nothing, the token lasts until the page is loaded anew. */
function unlessBlocked(e, otherwise) {
  if (e instanceof DOMException) {
    return otherwise;
  }
  throw e;
}

/**
 * The headers that a request needs to be let in. Not `Authorization`: the API server's proxies take
 * that one for themselves.
 */
export function authorisation() {
  const value = token();
  return value === "" ? {} : { "X-Populator-Token": value };
}

/** The same for curl: an option with a space before it, or nothing where there is no token. */
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
 * Tells that the service has refused us, for those who send requests of their own.
 *
 * @param {Problem} problem
 */
export function refused(problem) {
  tokens.dispatchEvent(new CustomEvent("locked", { detail: problem }));
}

/**
 * As `fetch`, with the token.
 *
 * @param {string} path below the page, so that a proxy may have something in front of it
 * @param {RequestInit} [options]
 * @returns {Promise<Response>} one with a status of success
 * @throws {Problem} where it has another, or where there is no answer
 * @throws {DOMException} where the caller ended it
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

/**
 * @file Locks by which the tabs of a browser know which tab sends an upload. Browsers have locks in
 * secure contexts only. Without locks, only the service prevents two tabs from sending at once: it
 * accepts one connection at a time.
 */

const name = (key) => `pvc-populators.upload.${key}`;

let release = () => {};

/**
 * Takes the lock of an upload for this tab, until {@link letGo} is called or the tab is closed.
 *
 * @param {string} key
 */
export function hold(key) {
  letGo();
  const released = new Promise((resolve) => (release = () => resolve(undefined)));
  inTurn(key, {}, () => released);
}

export function letGo() {
  release();
  release = () => {};
}

/**
 * @param {string} key
 * @returns {Promise<boolean>} whether another tab has the lock; false if the browser has no locks
 */
export async function heldElsewhere(key) {
  return (await inTurn(key, { ifAvailable: true }, (lock) => !lock)) ?? false;
}

/**
 * @param {string} key
 * @returns {Promise<void>} resolves when no tab has the lock; at once if the browser has no locks
 */
export async function whenFree(key) {
  await inTurn(key, {}, () => {});
}

/**
 * @template T
 * @param {string} key
 * @param {LockOptions} options
 * @param {(lock: Lock | null) => T} work
 * @returns {Promise<T | undefined>} undefined if the browser has no locks, or does not permit them
 */
async function inTurn(key, options, work) {
  try {
    return await navigator.locks?.request(name(key), options, work);
  } catch (e) {
    if (e instanceof DOMException) {
      return undefined;
    }
    throw e;
  }
}

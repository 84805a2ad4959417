/**
 * @file One tab alone brings an upload, and the others of this browser know that it does. Browsers
 * have locks in secure contexts only; elsewhere the service keeps order, which takes one connection
 * at a time.
 */

const name = (key) => `pvc-populators.upload.${key}`;

let release = () => {};

/**
 * Says that this tab brings an upload, until {@link letGo} or the end of the tab.
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
 * @returns {Promise<boolean>} whether another tab brings it
 */
export async function heldElsewhere(key) {
  return (await inTurn(key, { ifAvailable: true }, (lock) => !lock)) ?? false;
}

/**
 * @param {string} key
 * @returns {Promise<void>} when no tab brings it any more
 */
export async function whenFree(key) {
  await inTurn(key, {}, () => {});
}

/**
 * @template T
 * @param {string} key
 * @param {LockOptions} options
 * @param {(lock: Lock | null) => T} work
 * @returns {Promise<T | undefined>} nothing where the browser has no locks, or lets pages have none
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

/**
 * @file Which file an upload is of, kept over a reload: its name, size and time and, where the
 * browser has handles of files (secure contexts, Chromium), the handle. Never its content.
 */

const DATABASE = "pvc-populators";
const STORE = "uploads";
/** A forwarded port shows one service after the other at the same address. */
const MOST = 16;

/**
 * @typedef {{key: string, name: string, size: number, lastModified: number, query: string,
 *     at: number, handle?: FileSystemFileHandle}} Remembered
 */

/** @param {import("./transfer.js").Sending} sending */
export async function remember({ file, handle, key, query }) {
  const { name, size, lastModified } = file;
  /** @type {Remembered} */
  const entry = { key, name, size, lastModified, query, at: Date.now() };
  await inStore("readwrite", (store) => store.put(handle ? { ...entry, handle } : entry));
  const all = (await inStore("readonly", (store) => store.getAll())) ?? [];
  const old = all.sort((a, b) => b.at - a.at).slice(MOST);
  await Promise.all(old.map((each) => forget(each.key)));
}

/**
 * @param {string} key
 * @returns {Promise<Remembered | undefined>}
 */
export function recall(key) {
  return inStore("readonly", (store) => store.get(key));
}

/** @param {string} key */
export function forget(key) {
  return inStore("readwrite", (store) => store.delete(key));
}

/**
 * The file itself, where it can be had without asking the person, or with their click.
 *
 * @param {{handle?: FileSystemFileHandle}} remembered
 * @param {boolean} ask whether this happens in a click
 * @returns {Promise<File | undefined>}
 */
export async function fileOf({ handle }, ask) {
  if (handle === undefined) {
    return undefined;
  }
  try {
    let permission = await handle.queryPermission({ mode: "read" });
    if (permission === "prompt" && ask) {
      permission = await handle.requestPermission({ mode: "read" });
    }
    return permission === "granted" ? await handle.getFile() : undefined;
  } catch (e) {
    // The file has gone, or the browser has forgotten it: then it has to be chosen again.
    if (e instanceof DOMException) {
      return undefined;
    }
    throw e;
  }
}

/**
 * @param {File} file
 * @param {Remembered} remembered
 */
export function isSame(file, { name, size, lastModified }) {
  return file.name === name && file.size === size && file.lastModified === lastModified;
}

/**
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest} work
 * @returns {Promise<any>} nothing where the browser keeps nothing, as some do in private windows:
 *     then an upload does not survive a reload, and nothing else is lost
 */
async function inStore(mode, work) {
  let database;
  try {
    const opening = indexedDB.open(DATABASE, 1);
    opening.addEventListener("upgradeneeded", () =>
      opening.result.createObjectStore(STORE, { keyPath: "key" }),
    );
    database = await resultOf(opening);
    return await resultOf(work(database.transaction(STORE, mode).objectStore(STORE)));
  } catch (e) {
    // A TypeError: there is no database at all.
    if (e instanceof DOMException || e instanceof TypeError) {
      return undefined;
    }
    throw e;
  } finally {
    database?.close();
  }
}

/** @param {IDBRequest} request */
function resultOf(request) {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });
}

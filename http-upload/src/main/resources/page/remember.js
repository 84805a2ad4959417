/**
 * @file Remembers the file of an upload across a reload of the page: its name, size and
 * modification time, and its handle if the browser has handles of files (Chromium, in secure
 * contexts). The content of the file is not stored.
 */

const DATABASE = "pvc-populators";
const STORE = "uploads";
/**
 * The maximum number of remembered uploads. More than one is useful: through a forwarded port,
 * several services can have the same address one after the other.
 */
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
 * Returns the file, if the browser permits this without asking the user, or if the user permits it.
 *
 * @param {{handle?: FileSystemFileHandle}} remembered
 * @param {boolean} ask whether the browser may ask the user, which requires a click
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
    // The file does not exist any more, or the browser does not accept the handle any more. The
    // user has to choose the file again.
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
 * @returns {Promise<any>} undefined if the browser stores nothing, as some browsers do in private
 *     windows. Then an upload does not continue after a reload of the page; everything else works
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
    // A TypeError means that the browser has no databases.
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

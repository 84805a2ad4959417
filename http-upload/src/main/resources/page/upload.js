/** @file The upload page: what is shown in which state, and what the buttons do. */

import { Chooser } from "./chooser.js";
import { confirmation, problemBox, show } from "./components.js";
import { setShown, setText } from "./dom.js";
import { duration, percent, rate, size } from "./format.js";
import { UnreadableFile } from "./file-digest.js";
import { madeOf, noteOf, occupiedBy } from "./notes.js";
import { Options } from "./options.js";
import { ProgressView } from "./progress-view.js";
import { fileOf, forget, isSame, recall, remember } from "./remember.js";
import { heldElsewhere, hold, letGo, whenFree } from "./tab-lock.js";
import { Transfer } from "./transfer.js";
import { newKey, place } from "./upload-resource.js";
import { Problem, Volume } from "./volume.js";
import { emptyFile, inWords, otherFile } from "./words.js";

const SERVICE = document.title;
const UNDER_WAY = ["Transferring", "Finalizing"];
const MADE = ["Ready", "Deleting"];
/** A tab that is loaded anew goes on itself, before another does so in its place. */
const RELOAD_MS = 2_000;

const volume = new Volume();
const transfer = new Transfer();
const progress = new ProgressView(transfer);
const options = new Options();
const chooser = new Chooser(byId("drop"), byId("file"));

/**
 * An upload that the service has a part of, and this browser began.
 * @type {{remembered: import("./remember.js").Remembered, offset: number} | undefined}
 */
let interrupted;
/**
 * A file that was chosen and cannot be taken as it is.
 * @type {{file: File, handle?: FileSystemFileHandle} | undefined}
 */
let rejected;
let looking = false;
let removing = false;
/** The creation that has been looked at, by when it began. */
let lookedAt = "";
let phaseBefore = "";

/** @returns {any} */
function byId(id) {
  return document.getElementById(id);
}

/** The state of the page; empty while the service has told nothing yet. */
function stateNow() {
  const phase = volume.status?.phase;
  if (volume.connection === "locked" || transfer.state === "locked") {
    return "locked";
  }
  if (transfer.active || transfer.state === "done") {
    return transfer.state;
  }
  if (interrupted !== undefined) {
    return "resumable";
  }
  if (phase === "Ready" || phase === "Deleting" || UNDER_WAY.includes(phase)) {
    return looking || removing ? "" : "occupied";
  }
  if (transfer.state === "failed") {
    return transfer.problem.kind === "volume-not-empty" ? "occupied" : "failed";
  }
  return volume.status === undefined && volume.connection !== "lost" ? "" : "idle";
}

/** Shows what fits the state, and nothing else. */
function render() {
  const state = stateNow();
  if (document.body.dataset.state !== state) {
    document.body.dataset.state = state;
  }
  const shows = (...states) => states.includes(state);
  const elsewhere = state === "occupied" && UNDER_WAY.includes(volume.status?.phase);
  const ready = volume.status?.phase === "Ready";
  setShown(byId("transfer"), elsewhere || (fileShown() !== "" && shows("resumable", "sending",
    "paused", "waiting", "verifying", "done", "failed")));
  setShown(byId("choose"), shows("idle", "resumable", "failed"));
  setShown(byId("occupied"), elsewhere || (ready && shows("occupied", "done")));
  setShown(byId("pause"), shows("sending"));
  setShown(byId("resume"), shows("paused", "waiting") || canAskForFile(state));
  setShown(byId("again"), shows("failed") || (state === "resumable" && rejected !== undefined));
  setShown(byId("cancel"), shows("sending", "paused", "waiting", "resumable"));
  setShown(byId("digest"), transfer.sha256 !== "" && shows("verifying", "done"));
  setText(byId("file-name"), elsewhere ? "Another upload" : fileShown());
  setText(byId("note"), noteOf(state, transfer, interrupted, volume.connection));
  setText(byId("verdict"), state === "done" ? "verified by the service" : "");
  setText(byId("made"), ready ? madeOf(volume.status) : "");
  setText(byId("made-digest"), ready && state !== "done" ? digestOf(volume.status) : "");
  setText(byId("occupied-text"), occupiedBy(volume.status?.phase));
  setText(byId("delete"), elsewhere ? "Cancel that upload" : "Delete the volume");
  if (elsewhere) {
    showOther(volume.status);
  }
  showTitle(state);
}

function digestOf({ sourceDigest }) {
  return sourceDigest ? `SHA-256 ${sourceDigest.replace("sha256:", "")}` : "";
}

/** @param {import("./volume.js").Status} status */
function showOther({ bytesIn, totalBytes, bytesPerSecond, etaSeconds }) {
  progress.figures(bytesIn, totalBytes, {
    rate: bytesPerSecond > 0 ? rate(bytesPerSecond) : "",
    left: etaSeconds === undefined ? "" : `${duration(etaSeconds)} left`,
  });
}

function canAskForFile(state) {
  return state === "resumable" && interrupted.remembered.handle !== undefined;
}

function fileShown() {
  const file = transfer.sending?.file ?? interrupted?.remembered;
  return file === undefined ? "" : `${file.name} · ${size(file.size)}`;
}

function showTitle(state) {
  const moving = ["sending", "paused", "waiting"].includes(state);
  const title = moving
    ? `${percent(transfer.sent, transfer.sending.file.size)}% · ${SERVICE}`
    : SERVICE;
  if (document.title !== title) {
    document.title = title;
  }
}

/** @param {Problem | import("./file-digest.js").UnreadableFile | undefined} problem */
function tell(problem) {
  byId("problem").replaceChildren(...(problem ? [problemBox(inWords(problem))] : []));
}

/** @param {{file: File, handle?: FileSystemFileHandle}} chosen */
function choose({ file, handle }) {
  rejected = undefined;
  tell(undefined);
  if (file.size === 0) {
    tell(emptyFile(file));
  } else if (interrupted === undefined) {
    begin(file, handle);
  } else if (isSame(file, interrupted.remembered)) {
    goOn(file, handle);
  } else {
    rejected = { file, handle };
    tell(otherFile(file, interrupted.remembered));
  }
  render();
}

/** Sends a file from its first byte. */
function begin(file, handle) {
  const replaces = transfer.sending?.key ?? interrupted?.remembered.key;
  send({ file, handle, key: newKey(), query: options.query, replaces });
}

/** Sends the rest of a file whose upload was interrupted. */
function goOn(file, handle) {
  const { key, query } = interrupted.remembered;
  send({ file, handle, key, query });
}

/** @param {import("./transfer.js").Sending} sending */
function send(sending) {
  interrupted = undefined;
  rejected = undefined;
  hold(sending.key);
  remember(sending);
  transfer.start(sending);
}

/** Looks whether the upload that the service has is one that this browser began. */
async function look() {
  if (looking || removing || transfer.active || interrupted !== undefined) {
    return;
  }
  looking = true;
  try {
    await lookAt(await place());
  } catch (e) {
    // The volume's status tells what is wrong with the connection; the next one is looked at.
    if (!(e instanceof Problem)) {
      throw e;
    }
    lookedAt = "";
  } finally {
    looking = false;
    render();
  }
}

/** @param {import("./upload-resource.js").Place} there */
async function lookAt(there) {
  const remembered = there.key === "" || there.complete ? undefined : await recall(there.key);
  if (remembered === undefined) {
    return;
  }
  if (await heldElsewhere(there.key)) {
    whenFree(there.key).then(() => setTimeout(look, RELOAD_MS));
    return;
  }
  const file = await fileOf(remembered, false);
  if (transfer.active || removing) {
    return;
  }
  interrupted = { remembered, offset: there.offset };
  progress.figures(there.offset, remembered.size, { rate: "", left: "" });
  if (file !== undefined) {
    choose({ file, handle: remembered.handle });
  }
}

/** Throws away what has arrived, or what is there. */
async function remove() {
  tell(undefined);
  removing = true;
  const key = transfer.sending?.key ?? interrupted?.remembered.key;
  interrupted = undefined;
  rejected = undefined;
  transfer.forget();
  try {
    if (key !== undefined) {
      // First: what is cancelled is not gone on with, also where this does not succeed.
      await forget(key);
    }
    await volume.remove();
  } catch (e) {
    if (!(e instanceof Problem)) {
      throw e;
    }
    tell(e);
  } finally {
    removing = false;
    render();
  }
}

async function resume() {
  if (interrupted === undefined) {
    transfer.resume();
    return;
  }
  const file = await fileOf(interrupted.remembered, true);
  if (file === undefined) {
    byId("file").click();
  } else {
    choose({ file, handle: interrupted.remembered.handle });
  }
}

async function startAgain() {
  const again = rejected ?? transfer.sending;
  // A file that has changed is another one to the browser, and has to be given anew.
  const unreadable = rejected === undefined && transfer.problem instanceof UnreadableFile;
  const file = (await fileOf(again, true)) ?? (unreadable ? undefined : again.file);
  if (file === undefined) {
    byId("file").click();
    return;
  }
  tell(undefined);
  begin(file, again.handle);
}

async function askAndRemove() {
  const ready = volume.status?.phase === "Ready";
  const yes = await confirmation(
    ready ? "Delete the volume?" : "Cancel the other upload?",
    ready ? "The disk is gone then." : "What it has sent is thrown away.",
    ready ? "Yes, delete it" : "Yes, cancel it",
  );
  if (yes) {
    await remove();
  }
}

const SPOKEN = {
  sending: "Uploading.",
  paused: "Paused.",
  waiting: "The connection was cut. Trying again.",
  verifying: "Everything has arrived. Verifying.",
  done: "Uploaded. The volume is ready.",
};

transfer.addEventListener("state", () => {
  const { state, problem, sending } = transfer;
  tell(state === "failed" ? problem : undefined);
  if (state === "done" || state === "failed") {
    forget(sending.key);
  }
  if (!transfer.active) {
    letGo();
  }
  progress.say(SPOKEN[state] ?? "");
  progress.show();
  render();
});
transfer.addEventListener("progress", () => showTitle(stateNow()));

volume.addEventListener("connection", render);
volume.addEventListener("status", ({ detail: status }) => {
  const { phase } = status;
  if (transfer.state === "done" && MADE.includes(phaseBefore) && !MADE.includes(phase)) {
    // Somebody has deleted what this page uploaded.
    transfer.forget();
  }
  if (phase === "Ready" && transfer.state === "failed") {
    tell(undefined);
  }
  phaseBefore = phase;
  const movesWithoutUs = status.bytesIn > (interrupted?.offset ?? Infinity);
  if (!UNDER_WAY.includes(phase) || movesWithoutUs) {
    interrupted = undefined;
  } else if (lookedAt !== status.started) {
    lookedAt = status.started;
    look();
  }
  render();
});

chooser.addEventListener("chosen", ({ detail }) => choose(detail));
byId("pause").addEventListener("click", () => transfer.pause());
byId("resume").addEventListener("click", resume);
byId("again").addEventListener("click", startAgain);
byId("cancel").addEventListener("click", remove);
byId("delete").addEventListener("click", askAndRemove);

window.addEventListener("beforeunload", (event) => {
  if (["sending", "waiting", "verifying"].includes(transfer.state)) {
    event.preventDefault();
  }
});

show(volume);
volume.follow();
render();

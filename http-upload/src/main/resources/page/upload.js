/** @file The upload page: what is shown in which state, and what the buttons do. */

import { Chooser } from "./chooser.js";
import { confirmation, problemBox, show } from "./components.js";
import { setShown, setText } from "./dom.js";
import { percent, size } from "./format.js";
import { UnreadableFile } from "./file-digest.js";
import { Interruption, UNDER_WAY } from "./interruption.js";
import { Keyboard } from "./keyboard.js";
import { digestLine, madeOf, noteOf, occupiedBy } from "./notes.js";
import { Options } from "./options.js";
import { ProgressView } from "./progress-view.js";
import { fileOf, forget, isSame, remember } from "./remember.js";
import { hold, letGo } from "./tab-lock.js";
import { Transfer } from "./transfer.js";
import { cancelUpload, newKey } from "./upload-resource.js";
import { Problem, Volume } from "./volume.js";
import { emptyFile, folder, inWords, otherFile } from "./words.js";

const SERVICE = document.title;
const MADE = ["Ready", "Deleting"];

const volume = new Volume();
const transfer = new Transfer();
const progress = new ProgressView(transfer);
const options = new Options();
const chooser = new Chooser(byId("drop"), byId("file"));
const keyboard = new Keyboard();
const interruption = new Interruption(() => transfer.active || removing);
/**
 * A chosen file that is not the file of the interrupted upload.
 * @type {{file: File, handle?: FileSystemFileHandle} | undefined}
 */
let rejected;
let removing = false;
let phaseBefore = "";

/** @returns {any} */
function byId(id) {
  return document.getElementById(id);
}

/**
 * Returns the state of the page; empty before the first status of the service, and while an
 * interrupted upload is looked for or an upload is removed.
 */
function stateNow() {
  const phase = volume.status?.phase;
  if (volume.connection === "locked" || transfer.state === "locked") {
    return "locked";
  }
  if (transfer.active || transfer.state === "done") {
    return transfer.state;
  }
  if (failedHere()) {
    return "failed";
  }
  if (interruption.upload !== undefined) {
    return "resumable";
  }
  if (phase === "Ready" || phase === "Deleting" || UNDER_WAY.includes(phase)) {
    return interruption.looking || removing ? "" : "occupied";
  }
  if (transfer.state === "failed") {
    return transfer.problem.kind === "volume-not-empty" ? "occupied" : "failed";
  }
  return volume.status === undefined && volume.connection !== "lost" ? "" : "idle";
}

/**
 * Returns whether the upload failed in this browser. If so, the service may still wait for the rest
 * of the upload.
 */
function failedHere() {
  const { state, problem } = transfer;
  return state === "failed" && (problem instanceof UnreadableFile || (problem.own && !problem.kind));
}

function render() {
  keyboard.around(showState);
}

/**
 * Shows the elements that belong to the state, and hides all others.
 *
 * @returns {string} the state
 */
function showState() {
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
  setShown(byId("cancel"), shows("sending", "paused", "waiting", "resumable", "verifying"));
  setShown(byId("digest"), transfer.sha256 !== "" && shows("verifying", "done"));
  setText(byId("file-name"), elsewhere ? "Another upload" : fileShown());
  setText(byId("note"), noteOf(state, transfer, interruption.upload, volume.connection));
  setText(byId("verdict"), state === "done" ? "verified by the service" : "");
  setText(byId("made"), ready ? madeOf(volume.status) : "");
  setText(byId("made-digest"), ready && state !== "done" ? digestLine(volume.status) : "");
  const reachable = volume.connection !== "lost";
  setText(byId("occupied-text"), reachable ? occupiedBy(volume.status?.phase) : "");
  setShown(byId("delete"), reachable);
  setText(byId("delete"), elsewhere ? "Cancel that upload" : "Delete the volume");
  if (elsewhere) {
    progress.showOther(volume.status);
  }
  showTitle(state);
  return state;
}

function canAskForFile(state) {
  return state === "resumable" && interruption.upload.remembered.handle !== undefined;
}

function fileShown() {
  const file = transfer.sending?.file ?? interruption.upload?.remembered;
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
  } else if (interruption.upload === undefined) {
    begin(file, handle);
  } else if (isSame(file, interruption.upload.remembered)) {
    goOn(file, handle);
  } else {
    rejected = { file, handle };
    tell(otherFile(file, interruption.upload.remembered));
  }
  render();
}

/** Sends a file from its first byte. */
function begin(file, handle) {
  const replaces = transfer.sending?.key ?? interruption.upload?.remembered.key;
  send({ file, handle, key: newKey(), query: options.query, replaces });
}

/** Sends the rest of a file whose upload was interrupted. */
function goOn(file, handle) {
  const { key, query } = interruption.upload.remembered;
  send({ file, handle, key, query });
}

/** @param {import("./transfer.js").Sending} sending */
function send(sending) {
  interruption.end();
  rejected = undefined;
  remember(sending);
  transfer.start(sending);
  // `start` must come first: it ends an earlier transfer, and that end releases the lock of the
  // tab.
  hold(sending.key);
}

/**
 * Discards the received bytes, or deletes the volume.
 *
 * @param {(key: string) => Promise<void>} removal gets the key of this page's upload
 */
async function remove(removal) {
  tell(undefined);
  removing = true;
  const key = transfer.sending?.key ?? interruption.upload?.remembered.key;
  interruption.end();
  rejected = undefined;
  transfer.forget();
  try {
    if (key !== undefined) {
      // The upload is forgotten before the removal. So a cancelled upload is not continued, even if
      // the removal fails.
      await forget(key);
    }
    await removal(key);
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
  if (interruption.upload === undefined) {
    transfer.resume();
    return;
  }
  const file = await fileOf(interruption.upload.remembered, true);
  if (file === undefined) {
    byId("file").click();
  } else {
    choose({ file, handle: interruption.upload.remembered.handle });
  }
}

async function startAgain() {
  const again = rejected ?? transfer.sending;
  // A browser cannot read a changed file through its old `File` object. So the user has to choose
  // the file again.
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
  // This is the volume that the user sees. When the user answers, there may be another volume.
  const { phase, revision } = volume.status;
  const ready = phase === "Ready";
  const yes = await confirmation(
    ready ? "Delete the volume?" : "Cancel the other upload?",
    ready ? "The disk is gone then." : "What it has sent is thrown away.",
    ready ? "Yes, delete it" : "Yes, cancel it",
  );
  if (yes) {
    await remove(() => volume.remove(revision));
  }
}

/**
 * Ends a paused transfer that cannot continue, because the volume is ready or its creation failed.
 * After a cancellation, the file can be sent again.
 */
function leavePaused({ phase, failure }) {
  const problem = failure && new Problem(failure);
  if (phase === "Ready") {
    forget(transfer.sending.key);
    transfer.forget();
  } else if (phase === "Failed" && problem.kind !== "cancelled") {
    transfer.fail(problem);
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
  const deleted = phase === "Absent" || (MADE.includes(phaseBefore) && !MADE.includes(phase));
  if (transfer.state === "done" && deleted) {
    // The volume that this page uploaded was deleted, perhaps while the page was not connected.
    transfer.forget();
  }
  if (phase === "Ready" && transfer.state === "failed") {
    tell(undefined);
  }
  if (transfer.state === "paused" && UNDER_WAY.includes(phaseBefore)) {
    leavePaused(status);
  }
  phaseBefore = phase;
  interruption.follow(status);
  render();
});

interruption.addEventListener("changed", () => {
  const { upload } = interruption;
  if (upload !== undefined) {
    progress.figures(upload.offset, upload.remembered.size, { rate: "", left: "" });
  }
  render();
});
interruption.addEventListener("file", ({ detail }) => choose(detail));
chooser.addEventListener("chosen", ({ detail }) => choose(detail));
chooser.addEventListener("folder", ({ detail }) => tell(folder(detail)));
byId("pause").addEventListener("click", () => transfer.pause());
byId("resume").addEventListener("click", resume);
byId("again").addEventListener("click", startAgain);
byId("cancel").addEventListener("click", () => remove((key) => cancelUpload(key, volume)));
byId("delete").addEventListener("click", askAndRemove);

window.addEventListener("beforeunload", (event) => {
  if (["sending", "waiting", "verifying"].includes(transfer.state)) {
    event.preventDefault();
  }
});

show(volume);
volume.follow();
render();

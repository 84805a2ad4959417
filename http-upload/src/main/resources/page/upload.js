/** @file The upload page: what is shown in which state, and what the buttons do. */

import { Chooser } from "./chooser.js";
import { confirmation, problemBox, show } from "./components.js";
import { setShown, setText } from "./dom.js";
import { percent, size } from "./format.js";
import { Options } from "./options.js";
import { ProgressView } from "./progress-view.js";
import { fileOf, forget, isSame, recall, remember } from "./remember.js";
import { Transfer } from "./transfer.js";
import { newKey, place } from "./upload-resource.js";
import { Problem, Volume } from "./volume.js";
import { emptyFile, inWords, otherFile } from "./words.js";

const SERVICE = document.title;
const UNDER_WAY = ["Transferring", "Finalizing"];

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
  if (transfer.active || (transfer.state === "done" && phase !== "Absent")) {
    return transfer.state;
  }
  if (interrupted !== undefined) {
    return "resumable";
  }
  if (phase === "Ready" || phase === "Deleting" || UNDER_WAY.includes(phase)) {
    return looking ? "" : "occupied";
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
  setShown(byId("transfer"), shows(...["resumable", "sending", "paused", "waiting"],
    ...["verifying", "done", "failed"]) && fileShown() !== "");
  setShown(byId("choose"), shows("idle", "resumable", "failed"));
  setShown(byId("occupied"), shows("occupied", "done"));
  setShown(byId("pause"), shows("sending"));
  setShown(byId("resume"), shows("paused", "waiting") || canAskForFile(state));
  setShown(byId("again"), shows("failed") || (state === "resumable" && rejected !== undefined));
  setShown(byId("cancel"), shows("sending", "paused", "waiting", "resumable"));
  setShown(byId("digest"), transfer.sha256 !== "" && shows("verifying", "done"));
  setText(byId("file-name"), fileShown());
  setText(byId("note"), noteOf(state));
  setText(byId("verdict"), state === "done" ? "verified by the service" : "");
  setText(byId("occupied-text"), occupiedText());
  setText(byId("delete"), UNDER_WAY.includes(volume.status?.phase) ? "Cancel that upload"
    : "Delete the volume");
  setShown(byId("delete"), volume.status?.phase === "Ready" || UNDER_WAY.includes(volume.status?.phase));
  showTitle(state);
}

function canAskForFile(state) {
  return state === "resumable" && interrupted.remembered.handle !== undefined;
}

function fileShown() {
  const file = transfer.sending?.file ?? interrupted?.remembered;
  return file === undefined ? "" : `${file.name} · ${size(file.size)}`;
}

function noteOf(state) {
  switch (state) {
    case "sending":
      return transfer.restarts > 0
        ? "The service was restarted and had lost what had arrived: it is sent again."
        : "";
    case "waiting":
      return `${transfer.problem.title}. Trying again; what has arrived is kept.`;
    case "paused":
      return "Paused. The service keeps what has arrived for some minutes.";
    case "verifying":
      return "Everything has arrived. The service verifies it and makes it durable.";
    case "done":
      return "Uploaded. The volume can be used.";
    case "resumable": {
      const { remembered, offset } = interrupted;
      const at = `An upload of this file was interrupted at ${percent(offset, remembered.size)} %.`;
      return remembered.handle === undefined
        ? `${at} Choose the file again to go on from there.`
        : `${at} Go on from there, or choose the file again.`;
    }
    default:
      return "";
  }
}

function occupiedText() {
  switch (volume.status?.phase) {
    case "Ready":
      return "To upload another disk image, delete this one first.";
    case "Transferring":
    case "Finalizing":
      return "Another tab or program is uploading. You can wait for its end here, or cancel it.";
    default:
      return "";
  }
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
  interrupted = undefined;
  rejected = undefined;
  const sending = { file, key: newKey(), query: options.query };
  remember(sending, handle);
  transfer.start(sending);
}

/** Sends the rest of a file whose upload was interrupted. */
function goOn(file, handle) {
  const { key, query } = interrupted.remembered;
  interrupted = undefined;
  const sending = { file, key, query };
  remember(sending, handle);
  transfer.start(sending);
}

/** Looks whether the upload that the service has is one that this browser began. */
async function look() {
  if (looking || transfer.active || interrupted !== undefined) {
    return;
  }
  looking = true;
  try {
    const there = await place();
    const remembered = there.key === "" || there.complete ? undefined : await recall(there.key);
    if (remembered !== undefined && !transfer.active) {
      interrupted = { remembered, offset: there.offset };
      progress.figures(there.offset, remembered.size, { rate: "", left: "" });
      const file = await fileOf(remembered, false);
      if (file !== undefined && interrupted !== undefined) {
        choose({ file, handle: remembered.handle });
      }
    }
  } catch (e) {
    // The volume's status tells what is wrong with the connection.
    if (!(e instanceof Problem)) {
      throw e;
    }
  } finally {
    looking = false;
    render();
  }
}

/** Throws away what has arrived, or what is there. */
async function remove() {
  tell(undefined);
  const key = transfer.sending?.key ?? interrupted?.remembered.key;
  transfer.forget();
  interrupted = undefined;
  rejected = undefined;
  try {
    await volume.remove();
    if (key !== undefined) {
      await forget(key);
    }
  } catch (e) {
    if (!(e instanceof Problem)) {
      throw e;
    }
    tell(e);
  }
  render();
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

function startAgain() {
  const again = rejected ?? (transfer.sending && { file: transfer.sending.file });
  tell(undefined);
  if (again !== undefined) {
    begin(again.file, again.handle);
  }
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
  progress.say(SPOKEN[state] ?? "");
  progress.show();
  render();
});
transfer.addEventListener("progress", () => showTitle(stateNow()));

volume.addEventListener("connection", render);
volume.addEventListener("status", ({ detail: { phase } }) => {
  if (UNDER_WAY.includes(phase)) {
    look();
  } else if (!transfer.active) {
    interrupted = undefined;
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
  if (["sending", "waiting"].includes(transfer.state)) {
    event.preventDefault();
  }
});

show(volume);
volume.follow();
render();

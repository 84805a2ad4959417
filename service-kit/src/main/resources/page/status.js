/** @file The page of the services that pull: shows the volume, and lets a person request it. */

import { show, titleOf } from "./components.js";
import { Volume } from "./volume.js";

const name = document.title;
const volume = new Volume();

const CUT_OFF = { lost: "Connection lost", locked: "Locked" };

function showTitle() {
  const cut = CUT_OFF[volume.connection];
  const known = volume.status === undefined ? name : titleOf(volume.status, name);
  const title = cut === undefined ? known : `${cut} · ${name}`;
  if (document.title !== title) {
    document.title = title;
  }
}

volume.addEventListener("status", showTitle);
volume.addEventListener("connection", showTitle);

show(volume);
volume.follow();

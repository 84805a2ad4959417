/** @file The page of the services that pull: shows the volume, and lets a person ask for it. */

import { show, titleOf } from "./components.js";
import { Volume } from "./volume.js";

const service = document.title;
const volume = new Volume();

volume.addEventListener("status", (event) => {
  const title = titleOf(event.detail, service);
  if (document.title !== title) {
    document.title = title;
  }
});

show(volume);
volume.follow();

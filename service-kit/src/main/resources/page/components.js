/** @file The elements that show a volume. Import this module, then call {@link show}. */

import { VolumeElement } from "./element.js";
import { VolumeActions } from "./volume-actions.js";
import { VolumeFacts } from "./volume-facts.js";
import { VolumeFailures } from "./volume-failures.js";
import { VolumeParts } from "./volume-parts.js";
import { VolumeSessions } from "./volume-sessions.js";
import { VolumeSource } from "./volume-source.js";
import { VolumeStatus } from "./volume-status.js";
import { VolumeToken } from "./volume-token.js";

export { confirmation } from "./confirmation.js";
export { problemBox } from "./volume-failures.js";
export { titleOf } from "./volume-status.js";

customElements.define("volume-actions", VolumeActions);
customElements.define("volume-facts", VolumeFacts);
customElements.define("volume-failures", VolumeFailures);
customElements.define("volume-parts", VolumeParts);
customElements.define("volume-sessions", VolumeSessions);
customElements.define("volume-source", VolumeSource);
customElements.define("volume-status", VolumeStatus);
customElements.define("volume-token", VolumeToken);

/**
 * Gives the volume to all elements of the page that show it.
 *
 * @param {import("./volume.js").Volume} volume
 */
export function show(volume) {
  for (const each of document.querySelectorAll("*")) {
    if (each instanceof VolumeElement) {
      each.volume = volume;
    }
  }
}

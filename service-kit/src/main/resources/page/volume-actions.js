/** @file `<volume-actions>`: requests the volume, cancels its creation, deletes it. */

import { confirmation } from "./confirmation.js";
import { element, isShown, setShown, setText } from "./dom.js";
import { VolumeElement } from "./element.js";
import { Problem } from "./problem.js";
import { addressOf, tokenOption, tokens } from "./token.js";
import { problemBox } from "./volume-failures.js";

const ASKABLE = ["Absent", "Failed"];
const CANCELLABLE = ["Pending", "Transferring", "Finalizing"];

/**
 * The actions for a person who uses a forwarded port. Usually a program in the cluster sends the
 * requests.
 */
export class VolumeActions extends VolumeElement {
  #image = element("input", {
    id: "image",
    type: "text",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    "aria-describedby": "image-hint",
  });
  #make = element("button", { type: "submit" }, "Make the volume");
  #command = element("pre", { tabindex: "0", "aria-label": "Command" });
  #form = element(
    "form",
    { class: "card" },
    element("h2", {}, "Make the volume"),
    element(
      "p",
      {},
      "The volume is made on request. Send the request here, or from a terminal:",
    ),
    this.#command,
    element("label", { for: "image" }, "Image"),
    element("p", { id: "image-hint", class: "hint" }, "Leave it empty for the configured one."),
    this.#image,
    this.#make,
  );
  #cancel = element("button", { type: "button" }, "Cancel");
  #delete = element("button", { type: "button", class: "danger" }, "Delete the volume");
  #buttons = element("p", { class: "actions" }, this.#cancel, this.#delete);
  #error = element("div", { role: "alert" });
  #asking = false;
  #shown = "";
  /** Whether the control with the focus has disappeared because the person used it. */
  #focusLost = false;

  connectedCallback() {
    if (this.childElementCount > 0) {
      return;
    }
    for (const part of [this.#form, this.#cancel, this.#delete]) {
      setShown(part, false);
    }
    this.append(this.#form, this.#buttons, this.#error);
    setText(this.#command, command());
    tokens.addEventListener("changed", () => setText(this.#command, command()));
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      const image = this.#image.value.trim();
      this.#ask(() => this.volume.make(image === "" ? {} : { image }));
    });
    this.#cancel.addEventListener("click", () =>
      this.#afterwards("Cancel the creation?", "What has arrived is thrown away.", "Yes, cancel"),
    );
    this.#delete.addEventListener("click", () =>
      this.#afterwards("Delete the volume?", this.#loss(), "Yes, delete it"),
    );
  }

  show(status) {
    const focused = this.contains(document.activeElement) ? document.activeElement : undefined;
    setShown(this.#form, ASKABLE.includes(status.phase));
    setShown(this.#cancel, CANCELLABLE.includes(status.phase));
    setShown(this.#delete, status.phase === "Ready");
    setText(this.#make, status.phase === "Failed" ? "Try again" : "Make the volume");
    const shown = ASKABLE.includes(status.phase) ? "make" : status.phase;
    const hidden = focused !== undefined && !isShown(focused);
    this.#focusLost ||= hidden || (this.#asking && shown !== this.#shown);
    this.#shown = shown;
    this.#returnFocus();
  }

  /** Moves the focus to the action that is possible now, for a person who uses a keyboard. */
  #returnFocus() {
    if (!this.#focusLost || this.#asking) {
      return;
    }
    const next = [this.#make, this.#cancel, this.#delete].find(isShown);
    if (next !== undefined) {
      this.#focusLost = false;
      if (document.activeElement === document.body || this.contains(document.activeElement)) {
        next.focus();
      }
    }
  }

  #loss() {
    const sessions = this.volume.status?.details?.sessions ?? 0;
    return sessions > 0
      ? `Its data is gone then. Connected initiators lose their disks: ${sessions}.`
      : "Its data is gone then.";
  }

  async #afterwards(question, explanation, yes) {
    // This is the revision that the person sees. When the person answers, the revision may have
    // changed.
    const { revision } = this.volume.status;
    if (await confirmation(question, explanation, yes)) {
      await this.#ask(() => this.volume.remove(revision));
    }
  }

  /** @param {() => Promise<void>} request */
  async #ask(request) {
    this.#error.replaceChildren();
    this.#asking = true;
    const used = document.activeElement;
    const buttons = [this.#make, this.#cancel, this.#delete];
    buttons.forEach((button) => (button.disabled = true));
    try {
      await request();
    } catch (e) {
      if (!(e instanceof Problem)) {
        throw e;
      }
      // If the creation has failed, the status shows the failure.
      if (this.volume.status?.failure?.detail !== e.detail) {
        this.#error.replaceChildren(problemBox(e));
      }
    } finally {
      buttons.forEach((button) => (button.disabled = false));
      this.#asking = false;
      if (buttons.includes(used) && isShown(used)) {
        used.focus();
      } else {
        this.#focusLost = true;
        this.#returnFocus();
      }
    }
  }
}

function command() {
  return `curl -X PUT${tokenOption()} ${addressOf("volume")}`;
}

/** @file `<volume-source>`: the YAML by which a virtual machine refers to the volume. */

import { element, setShown, setText } from "./dom.js";
import { VolumeElement } from "./element.js";

const SAID_MS = 4_000;

/** The YAML and a button that copies it; hidden if there is no volume. */
export class VolumeSource extends VolumeElement {
  #text = element("pre", { tabindex: "0", "aria-label": "Source of the volume" });
  #kubevirt = element("pre", { tabindex: "0", "aria-label": "Volume of a KubeVirt machine" });
  #machine = element(
    "div",
    {},
    element("p", {}, "The same in a KubeVirt virtual machine, under spec.template.spec.volumes:"),
    this.#kubevirt,
  );
  #said = element("span", { role: "status", class: "said" });
  #timer = 0;

  connectedCallback() {
    if (this.childElementCount > 0) {
      return;
    }
    setShown(this, false);
    const button = element("button", { type: "button" }, "Copy");
    button.addEventListener("click", () => this.#copy());
    this.append(
      element("h2", {}, "Use it"),
      element("p", {}, "What a virtual machine refers to the volume by:"),
      this.#text,
      element("p", { class: "actions" }, button, this.#said),
      this.#machine,
    );
  }

  watch(volume) {
    volume.addEventListener("source", (event) => this.#showYaml(event.detail));
    this.#showYaml(volume.source);
  }

  #showYaml(yaml) {
    setText(this.#text, yaml);
    setShown(this, yaml !== "");
    const claim = /^pvc:\s+claimname:\s*(\S+)\s*$/.exec(yaml)?.[1] ?? "";
    setText(
      this.#kubevirt,
      `- name: disk\n  persistentVolumeClaim:\n    claimName: ${claim}\n`,
    );
    setShown(this.#machine, claim !== "");
  }

  async #copy() {
    // A page has no clipboard without TLS, except on localhost.
    const copied = await navigator.clipboard?.writeText(this.#text.textContent).then(
      () => true,
      () => false,
    );
    if (!copied) {
      getSelection()?.selectAllChildren(this.#text);
      this.#text.focus();
    }
    this.#say(copied ? "Copied." : "Selected: copy it with Ctrl+C or ⌘C.");
  }

  #say(text) {
    clearTimeout(this.#timer);
    setText(this.#said, text);
    this.#timer = setTimeout(() => setText(this.#said, ""), SAID_MS);
  }
}

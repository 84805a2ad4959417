/** @file `<volume-token>`: asks for the token if the service requires one. */

import { element, setAttribute, setShown, setText } from "./dom.js";
import { VolumeElement } from "./element.js";
import { token, tokens, useToken } from "./token.js";

/** A field and a button while the service refuses access; later a button to forget the token. */
export class VolumeToken extends VolumeElement {
  // This is not a password field, because browsers would offer to save the token. The style sheet
  // masks the text.
  #field = element("input", {
    id: "token",
    type: "text",
    class: "secret",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    required: true,
    "aria-describedby": "token-hint",
  });
  #error = element("p", { role: "alert", class: "error" });
  #form = element(
    "form",
    { class: "card" },
    element("label", { for: "token" }, "Token"),
    element(
      "p",
      { id: "token-hint", class: "hint" },
      "This service wants a bearer token: what its POPULATOR_TOKEN_FILE holds or, where the cluster" +
        " reviews tokens, what kubectl create token prints. It is kept in this tab only.",
    ),
    this.#field,
    element("button", { type: "submit" }, "Use token"),
    this.#error,
  );
  #forget = element("button", { type: "button", class: "quiet" }, "Forget the token");

  connectedCallback() {
    if (this.childElementCount > 0) {
      return;
    }
    setShown(this.#form, false);
    setShown(this.#forget, false);
    this.append(this.#form, this.#forget);
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#use();
    });
    this.#forget.addEventListener("click", () => useToken(""));
    tokens.addEventListener("locked", (event) => this.#locked(event.detail));
    tokens.addEventListener("changed", () => this.#showForget());
    this.#showForget();
  }

  watch(volume) {
    volume.addEventListener("connection", (event) => {
      if (event.detail === "live") {
        this.#open();
      }
    });
  }

  #use() {
    const value = this.#field.value.trim();
    if (value === "" || /[^\x21-\x7e]/.test(value)) {
      this.#say("A token has letters, digits and signs, and no spaces. Please look at it again.");
      return;
    }
    this.#say("");
    this.#field.value = "";
    useToken(value);
  }

  /** @param {import("./problem.js").Problem} problem */
  #locked(problem) {
    const anew = this.#form.hidden;
    setShown(this.#form, true);
    setShown(this.#forget, false);
    this.#say(token() === "" ? "" : `This token was refused: ${problem.detail}.`);
    if (anew) {
      this.#field.focus();
    }
  }

  #open() {
    const used = this.#form.contains(document.activeElement);
    this.#say("");
    setShown(this.#form, false);
    this.#showForget();
    const heading = document.querySelector("h1");
    if (used && heading !== null) {
      // The control with the focus is hidden now, so the focus moves to the heading of the page.
      heading.tabIndex = -1;
      heading.focus();
    }
  }

  #showForget() {
    setShown(this.#forget, this.#form.hidden && token() !== "");
  }

  #say(text) {
    setText(this.#error, text);
    setAttribute(this.#field, "aria-invalid", text === "" ? undefined : "true");
  }
}

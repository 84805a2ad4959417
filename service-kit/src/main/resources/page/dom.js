/**
 * @file Makes and changes elements. The functions insert text as text, never as HTML. They do not
 * touch nodes that stay the same, so that focus, selections and screen readers are not disturbed.
 */

/**
 * @param {string} name of the element
 * @param {Record<string, string | boolean>} [attributes] true for an attribute without a value;
 *     false omits the attribute
 * @param {...(Node | string)} children
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    setAttribute(made, key, value);
  }
  made.append(...children);
  return made;
}

/**
 * @param {Element} of
 * @param {string} name
 * @param {string | boolean | undefined} value false or undefined removes the attribute
 */
export function setAttribute(of, name, value) {
  if (value === false || value === undefined) {
    of.removeAttribute(name);
  } else {
    const text = value === true ? "" : value;
    if (of.getAttribute(name) !== text) {
      of.setAttribute(name, text);
    }
  }
}

/**
 * @param {Element} of
 * @param {string} text
 */
export function setText(of, text) {
  if (of.textContent !== text) {
    of.textContent = text;
  }
}

/**
 * @param {HTMLElement} of
 * @param {boolean} shown
 */
export function setShown(of, shown) {
  if (of.hidden === shown) {
    of.hidden = !shown;
  }
}

/**
 * Returns whether an element is visible. In a browser without `checkVisibility`, only
 * {@link setShown} decides.
 *
 * @param {HTMLElement} of
 */
export function isShown(of) {
  return of.checkVisibility?.() ?? !of.closest("[hidden]");
}

/**
 * Replaces the child elements by the given ones, in this order. A child that is in its place
 * already is not moved.
 *
 * @param {Element} parent
 * @param {Element[]} wanted
 */
export function setChildren(parent, wanted) {
  const kept = new Set(wanted);
  for (const child of [...parent.children]) {
    if (!kept.has(child)) {
      child.remove();
    }
  }
  wanted.forEach((child, index) => {
    if (parent.children[index] !== child) {
      parent.insertBefore(child, parent.children[index] ?? null);
    }
  });
}

/**
 * Sets the value of a progress bar. If `total` is not known, the bar gets no value.
 *
 * @param {HTMLProgressElement} bar
 * @param {number} done
 * @param {number | undefined} total
 */
export function setBar(bar, done, total) {
  if (total === undefined || total < 0) {
    bar.removeAttribute("value");
    return;
  }
  // The maximum of a progress element must be above 0.
  const most = Math.max(1, total);
  const value = total === 0 ? most : Math.min(done, most);
  if (bar.max !== most) {
    bar.max = most;
  }
  if (bar.value !== value || !bar.hasAttribute("value")) {
    bar.value = value;
  }
}

/**
 * @file Making and changing elements. Text is only ever set as text, and nothing is touched that
 * stays as it is: focus, selections and screen readers are left alone.
 */

/**
 * @param {string} name of the element
 * @param {Record<string, string | boolean>} [attributes] true for those without a value; false
 *     leaves one out
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
 * @param {string | boolean | undefined} value false or undefined takes it away
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
 * Whether somebody can see an element, as far as {@link setShown} decides where the browser does not
 * know it.
 *
 * @param {HTMLElement} of
 */
export function isShown(of) {
  return of.checkVisibility?.() ?? !of.closest("[hidden]");
}

/**
 * Makes an element's children the given ones, in their order, and moves none that is in its place.
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
 * A bar; without a value if `total` is not known.
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
  // An element's maximum must be above 0.
  const most = Math.max(1, total);
  const value = total === 0 ? most : Math.min(done, most);
  if (bar.max !== most) {
    bar.max = most;
  }
  if (bar.value !== value || !bar.hasAttribute("value")) {
    bar.value = value;
  }
}

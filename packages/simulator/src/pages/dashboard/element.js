/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An element with its attributes and children. Text stays text, so nothing that a customer is called can become
 * markup. An attribute of `true` stands alone; of `false`, `null` or `undefined` is left out.
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null | undefined>} attributes
 * @param {...(Child | Child[])} children
 */
export function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/** @param {string} tone good, warn, bad or quiet @param {string} text */
export function badge(tone, text) {
  return el('span', { class: `badge ${tone}` }, text);
}

/**
 * A form that posts its fields as JSON (commands.js). Fields are sent under their names; `data-kind` says how.
 * @param {string} path @param {Record<string, string | number | boolean | null | undefined>} attributes
 * @param {...(Child | Child[])} children
 */
export function commandForm(path, attributes, ...children) {
  return el('form', { class: 'command', 'data-path': path, ...attributes }, ...children);
}

/** @param {string} name @param {string} value @param {string} [kind] text, number or boolean */
export function hiddenField(name, value, kind = 'text') {
  return el('input', { type: 'hidden', name, value, 'data-kind': kind });
}

/** @param {Node | null} node */
function keyOf(node) {
  return node instanceof HTMLElement ? (node.dataset.key ?? null) : null;
}

/** @param {Element} current @param {Element} next */
function morphAttributes(current, next) {
  // Whether a person has opened a section is theirs, and so is what they typed (a property, not an attribute).
  const keep = current instanceof HTMLDetailsElement ? 'open' : null;
  for (const { name } of [...current.attributes]) {
    if (name !== keep && !next.hasAttribute(name)) current.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (name !== keep && current.getAttribute(name) !== value) current.setAttribute(name, value);
  }
}

/** @param {Node} current @param {Node} next */
function morphNode(current, next) {
  if (current instanceof Element && next instanceof Element) {
    morphAttributes(current, next);
    morphChildren(current, next);
  } else if (current.nodeValue !== next.nodeValue) {
    current.nodeValue = next.nodeValue;
  }
}

/**
 * Makes the children of `current` equal to those of `next` with as few changes as needed, so that focus, typed
 * text, open sections and a screen reader's place survive a refresh. Children with a `data-key` are matched by it.
 * @param {Element} current @param {Element} next
 */
function morphChildren(current, next) {
  const keyed = new Map([...current.children].map((child) => [keyOf(child), child]));
  keyed.delete(null);
  let cursor = current.firstChild;
  for (const fresh of [...next.childNodes]) {
    const key = keyOf(fresh);
    const sameKind = cursor !== null && keyOf(cursor) === null && cursor.nodeName === fresh.nodeName;
    const match = key === null ? (sameKind ? cursor : null) : (keyed.get(key) ?? null);
    if (match === null || match.nodeName !== fresh.nodeName) {
      current.insertBefore(fresh, cursor);
      continue;
    }
    if (match === cursor) cursor = cursor.nextSibling;
    else current.insertBefore(match, cursor);
    morphNode(match, fresh);
  }
  while (cursor !== null) {
    const after = cursor.nextSibling;
    cursor.remove();
    cursor = after;
  }
}

/** A part of the page that the server rendered, by its id. @param {string} id */
export function part(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no #${id}.`);
  return element;
}

/** Gives a part these children, with as few changes as needed. @param {string} id @param {...(Node | string)} children */
export function show(id, ...children) {
  morphChildren(part(id), el('div', {}, ...children));
}

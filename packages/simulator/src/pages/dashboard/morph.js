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
export function morphChildren(current, next) {
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

import { Idiomorph } from 'idiomorph';

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

/**
 * Whether a refresh may change an attribute: a section that a person opened, a choice and what they typed are theirs.
 * @param {string} name @param {Element} element
 */
function isOurs(name, element) {
  if (element instanceof HTMLInputElement) return name !== 'value' || element.value === element.defaultValue;
  return !['open', 'selected'].includes(name);
}

/** A part of the page that the server rendered, by its id. @param {string} id */
export function part(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no #${id}.`);
  return element;
}

/**
 * Gives a part these children with as few changes as needed, so that focus, typed text, open sections and a screen
 * reader's place survive a refresh. Elements are matched by their ids.
 * @param {string} id @param {...(Node | string)} children
 */
export function show(id, ...children) {
  Idiomorph.morph(part(id), [...el('div', {}, ...children).childNodes], {
    morphStyle: 'innerHTML',
    callbacks: { beforeAttributeUpdated: isOurs },
  });
}

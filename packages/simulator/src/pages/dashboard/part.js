import { el } from './element.js';
import { morphChildren } from './morph.js';

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

import { providePricing } from '../../src/given-catalog.ts';
import { prepareState } from './prepare.ts';
import catalog from './preview-catalog.ts';

/** Shows what the address has as `html`, with the elements as they are packed. */
const asked = prepareState();
document.documentElement.dir = asked.get('dir') ?? '';
// The elements have their look from nowhere else.
for (const sheet of document.querySelectorAll('link[rel=stylesheet], style')) sheet.remove();
document.body.innerHTML = asked.get('html') ?? '';
providePricing(catalog); // the worker that is played here goes by it too
const file = '/elements.js';
const elements: typeof import('../../src/exports/elements.ts') = await import(/* @vite-ignore */ file);
if (!document.querySelector('[catalog]')) elements.providePricing(catalog);
Object.assign(globalThis, { elements });

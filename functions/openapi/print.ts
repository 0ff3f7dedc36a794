import { makeDocument } from './document.ts';

/** The document as the committed file has it. */
export function printDocument(): string {
  return `${JSON.stringify(makeDocument(), null, 2)}\n`;
}

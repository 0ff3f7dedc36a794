import { dirname, relative } from 'node:path/posix';

/** Whether a script says this somewhere that is no comment, as far as a line tells. */
export function says(text: string, words: string): boolean {
  return text.split(/\r?\n/).some((line) => line.includes(words) && !/^\s*(\/\/|\*|\/\*)/.test(line));
}

const DIRECTIVES =
  /^(?:(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*(['"])use [\w ]+\1(?:;[^\S\n]*(?:\/\/[^\n]*)?\n?|[^\S\n]*(?:\/\/[^\n]*)?(?:\n|$)))+/;
const FIRST_COMMENT =
  /^\uFEFF?(?:#![^\n]*(?:\n|$))?(?:[^\S\n]*(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/[^\S\n]*)(?:\n|$))*/;

/**
 * Puts one line in front of a script's first statement: behind its directives, such as 'use strict', which are none
 * behind a statement, else behind the comment at its top. Line ends are the file's own.
 */
export function addFirstLine(text: string, line: string): string {
  if (says(text, line)) return text;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const head = (DIRECTIVES.exec(text) ?? FIRST_COMMENT.exec(text))?.[0] ?? '';
  const isOpen = head !== '' && head !== '\uFEFF' && !head.endsWith('\n');
  return `${head}${isOpen ? end : ''}${line}${end}${text.slice(head.length)}`;
}

/** Puts one line behind everything else of a script, which ends as it did: with the end of a line, or without. */
export function addLastLine(text: string, line: string): string {
  if (says(text, line)) return text;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  return text === '' || text.endsWith('\n') ? text + line + end : text + end + line;
}

/** Whether a script is an ES module by what it says: an import or an export of its own at the start of a line. */
export function isModule(text: string): boolean {
  return /^\s*(?:import\s*(?:[\w*{'"]|type\s)|export\s+(?:default|const|let|var|function|async|class|\{|\*|type|interface))/m.test(
    text,
  );
}

/** How one file names another one: `./billing/background.js`. */
export function relativeTo(from: string, to: string): string {
  const path = relative(dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

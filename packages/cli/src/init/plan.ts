import { adapterOf } from './adapters.ts';
import type { Change, Client } from './change.ts';
import { runLine } from './edits/package.ts';
import type { Extension } from './extension.ts';

/** A file as it will be, and why. */
export interface Write {
  readonly path: string;
  /** As it is now; null where there is none. */
  readonly before: string | null;
  readonly after: string;
  readonly why: readonly string[];
}

/** What is to be added by whoever knows the file: it could not be edited surely. */
export interface ByHand {
  readonly path: string;
  readonly lines: readonly string[];
  readonly why: string;
}

export interface Install {
  readonly command: readonly string[];
  /** The files that the package manager changes, as far as `init` answers for them: `--undo` puts them back. */
  readonly touches: readonly string[];
  readonly why: string;
}

export interface Plan {
  readonly writes: readonly Write[];
  readonly install: Install | null;
  readonly byHand: readonly ByHand[];
  /** Files that are there already and stay as they are. */
  readonly kept: readonly string[];
  readonly next: { readonly build: string | null; readonly load: string };
}

/**
 * What is to be done to an extension, decided and not done: every file as it will be. What is done already is not in it,
 * so the plan of a second run is empty.
 *
 * @param wroteLast whether a text is what an earlier run wrote into a file: copies of the client that nobody changed
 * since are replaced by newer ones
 */
export function makePlan(
  extension: Extension,
  client: Client,
  wroteLast: (path: string, text: string) => boolean,
): Plan {
  const adapter = adapterOf(extension.kind);
  const { listing } = extension;
  const texts = new Map<string, string | null>();
  const whys = new Map<string, string[]>();
  const byHand: ByHand[] = [];
  const kept: string[] = [];
  let install: Install | null = null;
  const current = (path: string): string | null => {
    const known = texts.get(path);
    return known === undefined ? listing.text(path) : known;
  };
  const write = (path: string, text: string, why: string): void => {
    texts.set(path, text);
    whys.set(path, [...(whys.get(path) ?? []), why]);
  };

  for (const change of adapter.changes(extension, client)) {
    switch (change.kind) {
      case 'create': {
        const there = current(change.path);
        if (there === null && !listing.paths.includes(change.path)) {
          write(change.path, change.text, change.why);
        } else if (there !== change.text) kept.push(change.path);
        break;
      }
      case 'copy': {
        const there = current(change.path);
        const text = client.file(change.file);
        const isAbsent = there === null && !listing.paths.includes(change.path);
        if (isAbsent || (there !== null && there !== text && wroteLast(change.path, there))) {
          write(change.path, text, change.why);
        } else if (there !== text) kept.push(change.path);
        break;
      }
      case 'edit': {
        // What a build wrote is no source: the next build would undo the edit.
        const isSource = texts.has(change.path) || listing.paths.includes(change.path);
        const there = isSource ? current(change.path) : null;
        const after = there === null ? null : change.edit(there);
        if (after === null) byHand.push(handOf(change));
        else if (after !== there) write(change.path, after, change.why);
        break;
      }
      case 'by-hand':
        byHand.push(handOf(change));
        break;
      case 'install':
        install = { command: change.command, touches: change.touches, why: change.why };
        break;
      default:
        return change satisfies never;
    }
  }
  const writes = [...texts].flatMap(([path, after]): Write[] =>
    after === null ? [] : [{ path, before: listing.text(path), after, why: whys.get(path) ?? [] }],
  );
  const { build, load } = adapter.next(extension);
  const next = { build: build === null ? null : runLine(extension, build), load };
  return { writes, install, byHand, kept, next };
}

function handOf({ path, lines, why }: Extract<Change, { kind: 'edit' | 'by-hand' }>): ByHand {
  return { path, lines, why };
}

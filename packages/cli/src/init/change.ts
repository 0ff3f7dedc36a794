import type { Extension, Kind, Listing, ManifestFile, PackageJson } from './extension.ts';

/** The client's package, which `init` brings. */
export interface Client {
  readonly version: string;
  /** As `npm pack` makes it. */
  readonly tarball: Uint8Array;
  /** The text of a file of its dist folder, such as `elements.js`. */
  file(name: string): string;
}

/** One thing that an adapter wants; plan.ts decides what of it is left to do. */
export type Change =
  /** A new file, the owner's from then on: where it is there already it stays as it is. */
  | { readonly kind: 'create'; readonly path: string; readonly text: string; readonly why: string }
  /** A copy of a file of the package's dist folder, which stays the package's: a newer one takes its place. */
  | { readonly kind: 'copy'; readonly path: string; readonly file: string; readonly why: string }
  /** A file of the owner's. `edit` returns the text as it is where all is there, null where it cannot tell surely. */
  | {
      readonly kind: 'edit';
      readonly path: string;
      readonly why: string;
      readonly edit: (text: string) => string | null;
      /** What a person would add, where `edit` could not. */
      readonly lines: readonly string[];
    }
  /** What only a person can do. */
  | {
      readonly kind: 'by-hand';
      readonly path: string;
      readonly lines: readonly string[];
      readonly why: string;
    }
  /** What brings the package into node_modules. */
  | {
      readonly kind: 'install';
      readonly command: readonly string[];
      readonly touches: readonly string[];
      readonly why: string;
    };

/** How billing goes into one kind of extension: README.md says how to write one. */
export interface Adapter {
  readonly kind: Kind;
  /** Asked in the order of adapters.ts: the first that says yes is taken. */
  readonly recognises: (
    listing: Listing,
    packageJson: PackageJson | null,
    manifest: ManifestFile | null,
  ) => boolean;
  /** Whether the tool makes the manifest, so that none is looked for. */
  readonly makesManifest: boolean;
  /** All that billing needs, whether or not it is there already. Pure. */
  readonly changes: (extension: Extension, client: Client) => readonly Change[];
  /** The script or program that builds (null: nothing is built) and the folder to load then, as `npm start` finds it. */
  readonly next: (extension: Extension) => { readonly build: string | null; readonly load: string };
}

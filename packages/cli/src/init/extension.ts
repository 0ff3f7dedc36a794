/** An extension's folder as `init` sees it. Nothing here touches the disk: disk.ts makes a Listing of a real folder. */
export interface Listing {
  /** Every file, relative to the folder, with `/`, sorted; without what is installed, built or hidden. */
  readonly paths: readonly string[];
  /** The text of any file below the folder; null where there is none, or where it is not UTF-8. */
  text(path: string): string | null;
  /** The nearest lock file in a folder above (`../../pnpm-lock.yaml`), where this one is part of a workspace; else null. */
  readonly lockAbove: string | null;
}

/** Each lock file, and whose it is. */
export const LOCK_FILES = {
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
  'package-lock.json': 'npm',
} as const;

/** What a folder is built with; `plain` is built with nothing. */
export type Kind = 'plain' | 'webpack' | 'vite' | 'crxjs' | 'wxt' | 'plasmo';

/** What billing reads of a manifest; everything else stays as it is. */
export interface Manifest {
  readonly manifest_version?: unknown;
  readonly background?: {
    readonly service_worker?: string;
    readonly type?: string;
    readonly scripts?: readonly string[];
  };
  readonly permissions?: readonly string[];
  readonly options_page?: string;
  readonly options_ui?: { readonly page?: string };
  readonly externally_connectable?: {
    readonly ids?: readonly string[];
    readonly matches?: readonly string[];
  };
  readonly content_security_policy?: { readonly extension_pages?: string };
}

export interface ManifestFile {
  readonly path: string;
  /** JSON can be edited, a module with one literal object mostly, anything else (a template) is left to its owner. */
  readonly form: 'json' | 'module' | 'other';
  /** Where in the file it stands: `['manifest']` in the package.json of a Plasmo extension. Left out: it is the whole. */
  readonly under?: readonly string[];
  readonly value: Manifest;
}

interface NamedTool {
  readonly name?: string;
}

/** What of package.json decides how an extension is built. */
export interface PackageJson {
  readonly name?: string;
  readonly type?: string;
  /** As Corepack reads it: `pnpm@10.1.0`. */
  readonly packageManager?: string;
  readonly devEngines?: { readonly packageManager?: NamedTool | readonly NamedTool[] };
  readonly workspaces?: unknown;
  readonly sideEffects?: unknown;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface Extension {
  readonly kind: Kind;
  readonly listing: Listing;
  readonly packageJson: PackageJson | null;
  /** The manifest that is written by hand; null where the tool makes it (wxt, plasmo). */
  readonly manifest: ManifestFile | null;
  readonly uses: {
    readonly react: boolean;
    readonly typescript: boolean;
    readonly packageManager: 'npm' | 'pnpm' | 'yarn' | 'bun';
  };
}

/** Every package that a package.json names, whatever it is needed for. */
export function packagesOf(packageJson: PackageJson | null): Readonly<Record<string, string>> {
  return { ...packageJson?.dependencies, ...packageJson?.devDependencies };
}

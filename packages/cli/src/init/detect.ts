import { ADAPTERS } from './adapters.ts';
import { parseJson } from './edits/json.ts';
import { readModule } from './edits/manifest-module.ts';
import type { Extension, Listing, Manifest, ManifestFile, PackageJson } from './extension.ts';
import { LOCK_FILES, packagesOf } from './extension.ts';

export type Detection =
  | { readonly ok: true; readonly extension: Extension }
  | { readonly ok: false; readonly why: string };

/**
 * Says what an extension is built with, where its manifest is, and what it uses. Pure: the same listing, the same answer.
 *
 * @param named the manifest to use, by its path in the folder; without it, the manifest.json nearest to the root
 */
export function detect(listing: Listing, named: string | null = null): Detection {
  const packageJson = readPackageJson(listing);
  if (packageJson === 'broken')
    return { ok: false, why: 'package.json is not JSON: nothing can be told from it.' };
  const manifest = named === null ? (manifestsIn(listing)[0] ?? null) : readManifest(listing, named);
  if (named !== null && manifest === null) {
    return { ok: false, why: `${named} is not there, or it says nothing of manifest_version 3.` };
  }
  const adapter = ADAPTERS.find(({ recognises }) => recognises(listing, packageJson, manifest));
  if (adapter === undefined) return { ok: false, why: whyNone(listing) };
  if (!adapter.makesManifest && manifest !== null && manifest.value.manifest_version !== 3) {
    return {
      ok: false,
      why: `${manifest.path} is of manifest version ${String(manifest.value.manifest_version)}: billing needs version 3.`,
    };
  }
  const packages = packagesOf(packageJson);
  return {
    ok: true,
    extension: {
      kind: adapter.kind,
      listing,
      packageJson,
      manifest: adapter.makesManifest && named === null ? null : manifest,
      uses: {
        react: Object.hasOwn(packages, 'react'),
        typescript:
          Object.hasOwn(packages, 'typescript') ||
          listing.paths.some((path) => /(^|\/)tsconfig\.json$/.test(path)),
        packageManager: packageManagerOf(listing, packageJson),
      },
    },
  };
}

/** Every manifest.json that is one of an extension, the one nearest to the root first. */
export function manifestsIn(listing: Listing): readonly ManifestFile[] {
  return listing.paths
    .filter((path) => /(^|\/)manifest\.json$/.test(path))
    .toSorted((a, b) => a.split('/').length - b.split('/').length)
    .flatMap((path) => {
      const value = parseJson(listing.text(path) ?? '');
      return isManifest(value) ? [{ path, form: 'json' as const, value }] : [];
    });
}

/** Whatever names version 3, so that `--manifest` can name it. */
export function otherManifests(listing: Listing): readonly ManifestFile[] {
  return listing.paths
    .filter((path) => /manifest[^/]*$/i.test(path) && !/\.(?:test|spec|d)\.|(^|\/)manifest\.json$/.test(path))
    .flatMap((path) => readManifest(listing, path) ?? []);
}

function readManifest(listing: Listing, path: string): ManifestFile | null {
  const text = listing.text(path);
  if (text === null) return null;
  const json = parseJson(text);
  if (isManifest(json)) return { path, form: 'json', value: json };
  if (!/["']?\bmanifest_version\b["']?\s*:\s*3\b/.test(text)) return null;
  const value = readModule(text) ?? { manifest_version: 3 };
  return { path, form: /\.[cm]?[jt]sx?$/.test(path) ? 'module' : 'other', value };
}

function whyNone(listing: Listing): string {
  const others = otherManifests(listing).map(({ path }) => `  ${path}`);
  if (others.length === 0)
    return 'There is no manifest.json here, and no wxt or plasmo: this is no extension’s folder.';
  return [
    'There is no manifest.json here, but',
    ...others,
    'Name the one to use with --manifest <file>. In a monorepo, give init the folder of the package that builds it.',
  ].join('\n');
}

function isManifest(value: unknown): value is Manifest {
  return typeof value === 'object' && value !== null && 'manifest_version' in value;
}

function readPackageJson(listing: Listing): PackageJson | null | 'broken' {
  const text = listing.text('package.json');
  if (text === null) return null;
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? (value as PackageJson) : 'broken';
}

/** By what package.json says, else by the lock file here, else by that of the workspace. */
function packageManagerOf(
  { paths, lockAbove }: Listing,
  packageJson: PackageJson | null,
): Extension['uses']['packageManager'] {
  const [, corepack] = /^(npm|pnpm|yarn|bun)@/.exec(packageJson?.packageManager ?? '') ?? [];
  const named = corepack ?? [packageJson?.devEngines?.packageManager].flat().find(Boolean)?.name;
  const byLock = (isThere: (lock: string) => boolean) =>
    Object.entries(LOCK_FILES).find(([lock]) => isThere(lock))?.[1];
  return (
    Object.values(LOCK_FILES).find((manager) => manager === named) ??
    byLock((lock) => paths.includes(lock)) ??
    byLock((lock) => lockAbove?.endsWith(`/${lock}`) === true) ??
    'npm'
  );
}

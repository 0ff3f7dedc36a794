import { ADAPTERS } from './adapters.ts';
import { parseJson } from './edits/json.ts';
import type { Extension, Listing, Manifest, ManifestFile, PackageJson } from './extension.ts';
import { LOCK_FILES, packagesOf } from './extension.ts';

export type Detection =
  | { readonly ok: true; readonly extension: Extension }
  | { readonly ok: false; readonly why: string };

/** Says what an extension is built with, where its manifest is, and what it uses. Pure: the same listing, the same answer. */
export function detect(listing: Listing): Detection {
  const packageJson = readPackageJson(listing);
  if (packageJson === 'broken')
    return { ok: false, why: 'package.json is not JSON: nothing can be told from it.' };
  const adapter = ADAPTERS.find(({ recognises }) => recognises(listing, packageJson));
  if (adapter === undefined) {
    return {
      ok: false,
      why: 'There is no manifest.json here, and no wxt or plasmo: this is no extension’s folder.',
    };
  }
  const manifest = adapter.makesManifest ? null : findManifest(listing);
  if (!adapter.makesManifest && manifest === null) {
    return { ok: false, why: 'There is no manifest.json here that can be read.' };
  }
  if (manifest !== null && manifest.value.manifest_version !== 3) {
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
      manifest,
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
      return isManifest(value) ? [{ path, value }] : [];
    });
}

const findManifest = (listing: Listing): ManifestFile | null => manifestsIn(listing)[0] ?? null;

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
  const [, named] = /^(npm|pnpm|yarn|bun)@/.exec(packageJson?.packageManager ?? '') ?? [];
  const byLock = (isThere: (lock: string) => boolean) =>
    Object.entries(LOCK_FILES).find(([lock]) => isThere(lock))?.[1];
  return (
    Object.values(LOCK_FILES).find((manager) => manager === named) ??
    byLock((lock) => paths.includes(lock)) ??
    byLock((lock) => lockAbove?.endsWith(`/${lock}`) === true) ??
    'npm'
  );
}

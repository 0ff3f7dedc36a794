import { type ReactNode, useState } from 'react';
import { pageBrowser } from '../../page-browser.ts';

const SIZE = 24;

/** The extension's own icon beside its name; nothing where its manifest has none or the file is not there. */
export function BrandIcon(): ReactNode {
  const [isBroken, setIsBroken] = useState(false);
  const { runtime } = pageBrowser();
  const path = ownIcon(runtime.getManifest().icons, SIZE * (globalThis.devicePixelRatio ?? 1));
  if (path === null || isBroken) return null;
  const source = runtime.getURL(path);
  return <img src={source} alt="" width={SIZE} height={SIZE} onError={() => setIsBroken(true)} />;
}

/**
 * The extension's own icon for a place of this many device pixels: the smallest of its manifest that fills it, else the
 * largest. Null where the manifest names none, which is allowed.
 */
export function ownIcon(icons: Readonly<Record<number, string>> | undefined, pixels: number): string | null {
  const sizes = Object.keys(icons ?? {})
    .map(Number)
    .filter((size) => size > 0)
    .sort((a, b) => a - b);
  const size = sizes.find((each) => each >= pixels) ?? sizes.at(-1);
  return (size === undefined ? undefined : icons?.[size]) ?? null;
}

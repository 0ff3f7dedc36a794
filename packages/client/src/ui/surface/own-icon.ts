/**
 * The extension's own icon for a place of this many device pixels: the smallest of its manifest that fills it, else the
 * largest. Null where the manifest names none, which is allowed.
 */
export function ownIcon(icons: chrome.runtime.ManifestIcons | undefined, pixels: number): string | null {
  const sizes = Object.keys(icons ?? {})
    .map(Number)
    .filter((size) => size > 0)
    .sort((a, b) => a - b);
  const size = sizes.find((each) => each >= pixels) ?? sizes.at(-1);
  return (size === undefined ? undefined : icons?.[size]) ?? null;
}

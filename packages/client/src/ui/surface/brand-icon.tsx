import { type ReactNode, useState } from 'react';
import { ownIcon } from './own-icon.ts';

const SIZE = 24;

/** The extension's own icon beside its name; nothing where its manifest has none or the file is not there. */
export function BrandIcon(): ReactNode {
  const [isBroken, setIsBroken] = useState(false);
  const path = ownIcon(chrome.runtime.getManifest().icons, SIZE * devicePixelRatio);
  if (path === null || isBroken) return null;
  const source = chrome.runtime.getURL(path);
  return <img src={source} alt="" width={SIZE} height={SIZE} onError={() => setIsBroken(true)} />;
}

/** For `vite.config.ts`: a content script in one file. */
import type { Plugin } from 'vite';

export { contentScript } from '../content-script.ts';

/** @deprecated The package brings its firebase with it, trimmed. This does nothing, and leaves a firebase of yours whole. */
export function smallFirebase(): Plugin {
  return { name: 'extension-billing:small-firebase' };
}

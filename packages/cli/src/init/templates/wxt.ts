import { NEEDED } from '../edits/needed.ts';

/**
 * A background where there was none.
 *
 * @param billing billing's part of it, as this file names it
 * @param isNamed whether wxt's own functions are known without an import
 */
export function wxtBackground(billing: string, isNamed: boolean): string {
  return `${isNamed ? '' : "import { defineBackground } from '#imports';\n"}import '${billing}';

export default defineBackground(() => {
  // The rest of your background.
});
`;
}

/**
 * A module of the project, which wxt loads by itself: it adds to the manifest what billing needs.
 *
 * @param page billing's page, for an extension without an options page
 */
export function wxtModule(page: string): string {
  const [permissions, matches] = [NEEDED.permissions, NEEDED.returnPages];
  return `// Adds to the manifest what billing needs. wxt loads the files of this folder by itself.
import { defineWxtModule } from 'wxt/modules';

export default defineWxtModule((wxt) => {
  wxt.hook('build:manifestGenerated', (_, manifest) => {
    // storage keeps what pages show, alarms looks for a purchase while a checkout is open.
    manifest.permissions = [...new Set([...(manifest.permissions ?? []), ${permissions.map((name) => `'${name}' as const`).join(', ')}])];
    // Where your users manage their account; an options page of your own stays.
    if (manifest.options_page === undefined) manifest.options_ui ??= { page: '${page}', open_in_tab: true };
    if (wxt.config.browser === 'firefox') return;
    // The page that a checkout returns to may wake the worker. Going live: your own address here.
    const connectable = manifest.externally_connectable ?? { ids: ['*'] };
    const matches = new Set([...(connectable.matches ?? []), '${matches}']);
    manifest.externally_connectable = { ...connectable, matches: [...matches] };
  });
});
`;
}

import { LOCAL_FIREFOX_ID } from '../packages/cli/src/local/suite.ts';
import type { Manifest } from './manifest.config.ts';

export const SIDEBAR = 'src/demo/side-panel/index.html';

/** What Firefox shows at the installation: what billing sends, without which nobody could buy (docs/store-review.md). */
const SENT: ('authenticationInfo' | 'financialAndPaymentInfo' | 'personallyIdentifyingInfo')[] = [
  'authenticationInfo',
  'financialAndPaymentInfo',
  'personallyIdentifyingInfo',
];

/**
 * The same extension for Firefox 140 and newer: an event page in place of the service worker, a sidebar in place of the
 * side panel, an id. No web page can speak to an extension there, so nothing is `externally_connectable`.
 */
export function firefoxManifest(chromium: Manifest): Manifest {
  const {
    key: _key,
    minimum_chrome_version: _version,
    externally_connectable: _pages,
    side_panel: _panel,
    background,
    options_page: page = '',
    permissions = [],
    ...shared
  } = chromium;
  if (background === undefined || !('service_worker' in background)) throw new Error('No service worker.');
  const firefox = {
    ...shared,
    permissions: permissions.filter((permission) => permission !== 'sidePanel'),
    // crx says that it is a module.
    background: { scripts: [background.service_worker] },
    options_ui: { page, open_in_tab: true },
    sidebar_action: {
      default_panel: SIDEBAR,
      default_title: shared.name,
      default_icon: shared.icons,
      open_at_install: false,
    },
    browser_specific_settings: {
      gecko: {
        id: LOCAL_FIREFOX_ID,
        strict_min_version: '140.0',
        data_collection_permissions: { required: SENT },
      },
      // The first on a phone that shows what is collected.
      gecko_android: { strict_min_version: '142.0' },
    },
  };
  return firefox;
}

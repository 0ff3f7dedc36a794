import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { TEST_CATALOG } from '../../../../tools/test/test-catalog.ts';
import { type OpenPreview, openPreview, type ShownState } from './open-preview.ts';

/** The preview of a test file, and what its tests do with it. */
export interface ShownPreview {
  readonly preview: { readonly page: Page; show(shown: ShownState): Promise<void> };
  testId(id: string): Locator;
  hasFocus(id: string): Promise<boolean>;
  /** What the worker would write: fields of the snapshot. */
  write(fields: object): Promise<void>;
}

/** Opens one preview for a test file: to build it and to start a browser costs more than most tests. */
export function keepPreviewOpen(): ShownPreview {
  let opened: OpenPreview | undefined;
  beforeAll(async () => {
    process.env.BILLING_CATALOG = TEST_CATALOG;
    opened = await openPreview();
  }, 60_000);
  afterAll(() => opened?.close());
  const open = (): OpenPreview => {
    if (opened === undefined) throw new Error('The preview is open while tests run.');
    return opened;
  };
  const testId = (id: string): Locator => open().page.getByTestId(id);
  return {
    preview: {
      get page() {
        return open().page;
      },
      show: (shown) => open().show(shown),
    },
    testId,
    hasFocus: (id) => testId(id).evaluate((element) => element === document.activeElement),
    write: (fields) =>
      open().page.evaluate(async (changed) => {
        const { entitlements } = await chrome.storage.local.get<{ entitlements: object }>('entitlements');
        await chrome.storage.local.set({
          entitlements: { ...entitlements, updatedAt: Date.now(), ...changed },
        });
      }, fields),
  };
}

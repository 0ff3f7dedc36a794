import { PACK } from '@extension-billing/contract/test/catalog';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditPage } from '../../../../e2e/audit-page.ts';
import { TEST_CATALOG } from '../../../../tools/test/test-catalog.ts';
import { type OpenPreview, openPreview } from './open-preview.ts';

let preview: OpenPreview;
const errors: string[] = [];
beforeAll(async () => {
  process.env.BILLING_CATALOG = TEST_CATALOG;
  preview = await openPreview({ withElements: true });
  preview.page.on('pageerror', ({ message }) => errors.push(message));
}, 60_000);
beforeEach(() => {
  errors.length = 0;
});
afterAll(() => preview?.close());

const testId = (id: string) => preview.page.getByTestId(id);
const BUTTONS =
  '<billing-button feature="demo">Do it</billing-button><billing-button feature="demo_deep">Dive</billing-button>';

/** The innermost of what has the focus, with its element. */
const focused = (): Promise<string> =>
  preview.page.evaluate(() => {
    const host = document.activeElement;
    const inside = host?.shadowRoot?.activeElement;
    return `${host?.localName} ${inside?.getAttribute('data-testid') ?? inside?.localName ?? ''}`;
  });

describe('a panel', () => {
  it('has all of billing with the look of the components, and nothing that axe finds, in light and dark', async () => {
    await preview.showElements(`<billing-panel heading="My extension">${BUTTONS}</billing-panel>`, {
      state: 'active_low',
      width: 360,
    });
    await preview.page.getByRole('heading', { level: 1, name: 'My extension' }).waitFor();
    for (const id of ['balance-meter', 'run-demo', 'plan-status', `buy-${PACK.small}`, 'sign-out']) {
      expect(await testId(id).isVisible(), id).toBe(true);
    }
    expect(await auditPage(preview.page)).toEqual([]);
    await preview.page.emulateMedia({ colorScheme: 'dark' });
    expect(await auditPage(preview.page, ['color-contrast'])).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('in full has plans, usage and the account', async () => {
    await preview.showElements('<billing-panel layout="full"></billing-panel>', {
      state: 'active',
      width: 1100,
    });
    await preview.page.getByRole('heading', { name: 'Usage' }).waitFor();
    await testId('delete-account').click();
    await expect.poll(focused).toBe('billing-panel delete-confirm');
    expect(await auditPage(preview.page)).toEqual([]);
  });
});

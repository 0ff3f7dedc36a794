import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import { build } from 'esbuild';
import type * as React from 'react';
import type { renderToString } from 'react-dom/server';
import { beforeAll, describe, expect, it } from 'vitest';
import type * as pricingDoor from '../src/exports/pricing.ts';
import type * as reactDoor from '../src/exports/react.ts';
import { aSnapshot } from './factories.ts';

type Page = typeof reactDoor &
  Pick<typeof pricingDoor, 'providePricing'> &
  Pick<typeof React, 'createElement'> & { renderToString: typeof renderToString };

const ENTRY = `
  export * from './src/exports/react.ts';
  export { providePricing } from './src/exports/pricing.ts';
  export { createElement } from 'react';
  export { renderToString } from 'react-dom/server';
`;

/** The components on a server: a global scope with nothing of a browser, not even Node's own `navigator`. */
async function serverWith(react: string, reactDom: string, warn: (text: string) => void): Promise<Page> {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: fileURLToPath(new URL('..', import.meta.url)), loader: 'ts' },
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    alias: { react, 'react-dom': reactDom },
    jsx: 'automatic',
    loader: { '.css': 'empty' },
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  const module = { exports: {} };
  const require = createRequire(import.meta.url);
  runInNewContext(outputFiles[0]?.text ?? '', {
    module,
    require,
    console: { error: warn },
    TextEncoder,
    setTimeout,
    queueMicrotask,
  });
  return module.exports as Page;
}

const snapshot = aSnapshot();
const now = snapshot.mirroredAt;
const nothing = (): void => {};
const user = {
  uid: 'ada',
  email: 'ada@example.com',
  displayName: null,
  isAnonymous: false,
  hasPassword: true,
};
const signIn = { google: true, guest: true, mailLink: true };

/** What each component needs at least. */
const PROPS = {
  Account: { user },
  Balance: { snapshot, now, onTopUp: nothing },
  BalanceMeter: { snapshot, now, onTopUp: nothing },
  Button: { children: 'Go' },
  BuyButton: { lookupKey: 'pages_small', label: 'Buy', what: 'Pages' },
  CheckoutProvider: { children: 'Inside' },
  FeatureButton: { feature: 'summary', label: 'Summarise', snapshot },
  FreeCeilingWall: { snapshot, now, until: now + 1, onDismiss: nothing, takesFocus: false },
  Loading: { layout: 'full' },
  ManageAccount: { user, snapshot, google: true, onChanged: nothing },
  OfflineNotice: { snapshot, now },
  PackList: {},
  Panel: { layout: 'full', ...signIn },
  PlanGrid: { snapshot },
  PlanList: { snapshot },
  PlanStatus: { snapshot, now },
  PlanWall: { snapshot, now, onDismiss: nothing, takesFocus: false },
  PlanWallProvider: { children: 'Inside' },
  SignInForm: signIn,
  Surface: { layout: 'full', title: 'Pages', google: true, children: () => null },
  ToastProvider: { children: 'Inside' },
  TopUpWall: { snapshot, now, onDismiss: nothing, takesFocus: false },
  Usage: { snapshot, now },
} as const;

/** What the hooks that need an argument are given; hooks that read what the browser knows are "loading". */
const HOOKS: Readonly<Record<string, { readonly args?: readonly unknown[]; readonly result?: unknown }>> = {
  useAccess: { result: { entitled: false, staleness: 'confirmed', accessUntil: null } },
  useBillingKeepAlive: {},
  useBillingState: { result: null },
  useCheckout: {},
  useCredits: { result: { balance: null, allowance: null, exhausted: null } },
  useEntitlement: { args: ['paid'], result: { entitled: false, loading: true } },
  useFeature: { args: ['summary', snapshot] },
  useNotifications: { args: [snapshot] },
  useNow: {},
  useOnline: { result: true },
  usePlanWall: {},
  usePortal: {},
  usePricing: {},
  useSession: { args: ['ada'] },
  useSignIn: { args: [{}] },
  useSignOut: {},
  useSnapshot: { result: null },
  useStoredValue: { args: ['local', 'key', () => null] },
  useToast: {},
  useUsage: { args: [30, 1] },
  useWall: { args: [snapshot] },
};

function Calling({ call }: { readonly call: () => void }): null {
  call();
  return null;
}

describe.each([
  ['React 18', 'react-18', 'react-dom-18'],
  ['React 19', 'react', 'react-dom'],
])('on a server with %s', (_, react, reactDom) => {
  let page: Page;
  const warnings: string[] = [];
  beforeAll(async () => {
    page = await serverWith(react, reactDom, (text) => warnings.push(text));
    page.providePricing(testCatalog);
  });

  it('renders every component', () => {
    const components = Object.keys(page).filter((name) => /^[A-Z][a-z]/.test(name));
    expect(Object.keys(PROPS)).toEqual(components.sort());
    const broken = Object.entries(PROPS).flatMap(([name, props]) => {
      try {
        const component = page[name as keyof Page] as React.ComponentType<object>;
        page.renderToString(page.createElement(component, props));
        return [];
      } catch (error) {
        return [`${name}: ${error}`];
      }
    });
    expect(broken).toEqual([]);
    // React 18 warns about this on a server whatever the effect does; ours only move the focus.
    expect(warnings.filter((text) => !text.includes('useLayoutEffect does nothing'))).toEqual([]);
  });

  it('says that the user is not known yet, from every hook', () => {
    const hooks = Object.keys(page).filter((name) => /^use[A-Z]/.test(name));
    expect(Object.keys(HOOKS)).toEqual(hooks.sort());
    for (const [name, { args = [], result }] of Object.entries(HOOKS)) {
      const hook = page[name as keyof Page] as (...given: readonly unknown[]) => unknown;
      const got: unknown[] = [];
      page.renderToString(page.createElement(Calling, { call: () => got.push(hook(...args)) }));
      expect(got, name).toEqual([result === undefined ? got[0] : result]);
    }
  });

  it('shows the shape of a page that loads', () => {
    expect(page.renderToString(page.createElement(page.Panel))).toContain('data-testid="loading"');
  });
});

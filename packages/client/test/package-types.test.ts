import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDoors } from '../build/api-page.ts';
import { emitTypes } from '../build/emit-types.ts';
import { widenOptional } from '../build/widen-optional.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Read where a consumer asks for them. */
const TYPES_OF_CHROME = ['@types/chrome', '@types/har-format'];
const folder = mkdtempSync(join(tmpdir(), 'billing-consumer-'));
beforeAll(async () => {
  await emitTypes(at('..'), join(folder, 'client'), '..', widenOptional);
  // What an adopter has, and nothing else: the declarations may not name what only this repository installs.
  mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true });
  for (const name of ['react', 'valibot', '@types/react', ...TYPES_OF_CHROME]) {
    symlinkSync(at(`../../../node_modules/${name}`), join(folder, 'node_modules', name), 'dir');
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As strict as a compiler gets, looking into declarations too, and without the types of `chrome`. */
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  jsx: 'react-jsx',
  types: [],
};

/** What the compiler says of each of a consumer's files; empty where it has nothing to say. One program: it costs a second. */
async function compile<Name extends string>(
  files: Readonly<Record<Name, string>>,
  more: object = {},
): Promise<(name: Name) => string> {
  const consumer = mkdtempSync(join(folder, 'consumer-'));
  for (const [name, source] of Object.entries<string>(files)) {
    writeFileSync(join(consumer, `${name}.${source.includes('</') ? 'tsx' : 'ts'}`), source);
  }
  const paths = { '@extension-billing/client/*': ['../client/exports/*.d.ts'] };
  const tsconfig = { compilerOptions: { ...STRICT, ...more, paths }, include: ['*.ts', '*.tsx'] };
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify(tsconfig));
  const compiler = at('../../../node_modules/typescript/bin/tsc');
  const said = await new Promise<string>((resolve) => {
    const words = ['--singleThreaded', '-p', '.', '--pretty', 'false'];
    execFile(process.execPath, [compiler, ...words], { cwd: consumer }, (_, stdout) => resolve(stdout));
  });
  // What follows a line without a place belongs to it; what stands in no file of the consumer's is everybody's.
  const parts = said.split(/^(?=\S)/m);
  const isOf = (part: string, name: string): boolean =>
    part.startsWith(`${name}.ts(`) || part.startsWith(`${name}.tsx(`);
  const isAnybodys = (part: string): boolean => !Object.keys(files).some((name) => isOf(part, name));
  return (name) => parts.filter((part) => isOf(part, name) || isAnybodys(part)).join('');
}

const DOORS = ['background', 'content', 'elements', 'messages', 'pricing', 'react', 'web'];
const IMPORTS = [
  ...DOORS.map((door) => `export * as ${door} from '@extension-billing/client/${door}';`),
  ...['background', 'content'].map((door) => `import '@extension-billing/client/${door}.classic';`),
  'export const both = [extensionBilling.createBillingBackground, extensionBilling.snapshotStore];',
].join('\n');

/** Each optional field of a type that refuses `undefined`. */
const REFUSING = `
  type Refusing<T> = keyof {
    [K in keyof T as {} extends Pick<T, K> ? (undefined extends Required<T>[K] ? never : K) : never]: 1;
  };
  type Takes<T> = [Refusing<T>] extends [never] ? true : Refusing<T>;
  type Props<C> = C extends (props: infer P) => unknown ? P : never;
  declare function takes<T>(yes: Takes<T>): void;`;

const OPTIONAL = `
    import type { BillingConfig, CreditWorkOptions } from '@extension-billing/client/background';
    import type { BillingMessages } from '@extension-billing/client/messages';
    import type { Pricing } from '@extension-billing/client/pricing';
    import type * as react from '@extension-billing/client/react';
    import type { createWebBilling } from '@extension-billing/client/web';
    ${REFUSING}
    takes<BillingConfig>(true);
    takes<CreditWorkOptions>(true);
    takes<Pricing>(true);
    takes<Parameters<typeof createWebBilling>[0]>(true);
    takes<react.TextOptions>(true);
    type Requests = { [M in keyof BillingMessages]: Takes<BillingMessages[M]['request']> };
    export const requests: Requests = {} as { [M in keyof Requests]: true };
    type Components = {
      [N in keyof typeof react as N extends Capitalize<N> ? N : never]: Takes<Props<(typeof react)[N]>>;
    };
    export const components: Components = {} as { [N in keyof Components]: true };`;
const REFUSED = `export {};${REFUSING} takes<{ readonly given?: string; readonly other?: string | undefined }>(true);`;

const elements = (layout: string, detail: string): string => `
  import '@extension-billing/client/elements';
  const button = document.querySelector('billing-button');
  if (button) button.work = async () => 42;
  document.createElement('billing-panel').layout = '${layout}';
  document.addEventListener('billing-paid', ({ detail }) => detail.${detail}.toUpperCase());`;
const jsx = (element: string): string => `
  import '@extension-billing/client/elements';
  export const page = <main>${element}</main>;`;
const JSX = jsx(`
  <billing-panel heading="Mine" layout="full" google mail-link className="mine" ref={(panel) => panel?.heading.trim()} />
  <billing-button feature="demo" work={() => 42} onbilling-paid={({ detail }) => detail.feature.trim()}>Do it</billing-button>
  <billing-plans only="packs" data-mine="1" />`);
const consumed = (reason: string): string => `
  import { type ConsumeResult, type DenialReason, send } from '@extension-billing/client/messages';
  const result: ConsumeResult = await send('creditsConsume', { feature: 'demo' });
  export const why: DenialReason | null = ${reason};`;

const CATALOG = `
  import { defineCatalog } from '@extension-billing/client/pricing';
  const catalog = defineCatalog({
    model: 'hybrid-credits',
    gate: 'metered',
    trialDays: 7,
    entitlements: { pro: { includes: ['basic'] }, basic: {} },
    plans: { pro_monthly: { kind: 'subscription', interval: 'month', amount: 1900, currency: 'usd', grants: ['pro'] } },
    packs: { tokens_10: { amount: 500, currency: 'usd', credits: 100 } },
    features: { summarise: { cost: 1 }, chat: { cost: 20, needs: 'basic' } },
  });
  export default catalog;`;
const REGISTER = `
  declare module '@extension-billing/client/pricing' {
    interface Register {
      catalog: typeof catalog;
    }
  }`;
const uses = ({
  entitlement,
  feature,
  offer,
}: Readonly<Record<'entitlement' | 'feature' | 'offer', string>>): string => `
  import type { BillingBackground } from '@extension-billing/client/background';
  import { entitlementView } from '@extension-billing/client/content';
  import { send, withCredits } from '@extension-billing/client/messages';
  import { BuyButton, FeatureButton, useEntitlement, useFeature } from '@extension-billing/client/react';
  export const any = [useEntitlement('paid'), useEntitlement('${entitlement}')];
  export const view = entitlementView(null, undefined, '${entitlement}');
  export const run = (background: BillingBackground) => [
    send('creditsConsume', { feature: '${feature}' }),
    withCredits('${feature}', () => 1),
    background.consume({ feature: '${feature}' }),
    useFeature('${feature}', {} as never),
    FeatureButton({ feature: '${feature}', label: '', snapshot: {} as never }),
  ];
  export const buy = (background: BillingBackground) => [
    send('billingCheckout', { lookupKey: '${offer}' }),
    background.checkout('${offer}'),
    BuyButton({ lookupKey: '${offer}', label: '', what: '' }),
  ];`;
/** Where each wrong key stands in what the compiler says. */
const refused = (said: string, key: string): number => said.split(`"${key}"' is not assignable`).length - 1;

const OWN = { entitlement: 'pro', feature: 'chat', offer: 'tokens_10' };
const WRONG = { entitlement: 'gold', feature: 'dance', offer: 'gold_monthly' };

const withoutCatalog = {
  ...{ imports: IMPORTS, optional: OPTIONAL, refused: REFUSED },
  ...{ elements: elements('full', 'feature'), wrongElements: elements('wide', 'cost') },
  ...{ jsx: JSX, wrongJsx: jsx('<billing-plans only="all" />') },
  consume: consumed('result.ok ? null : result.reason'),
  wrongConsume: consumed('result.ok ? result.reason : null'),
  anyKey: uses(WRONG),
};

describe('the declarations', () => {
  let said: (name: keyof typeof withoutCatalog) => string;
  beforeAll(async () => {
    said = await compile(withoutCatalog);
  });

  it('type-check in a strict consumer, every door of them', async () => {
    expect(said('imports')).toBe('');
    const loose = { exactOptionalPropertyTypes: false, types: ['chrome'] };
    expect((await compile({ imports: IMPORTS }, loose))('imports')).toBe('');
  });

  it('let an optional field be undefined, as an environment’s variable is, also where the compiler tells them apart', () => {
    expect(said('optional')).toBe('');
    expect(said('refused')).toContain('"given"');
  });

  it('know the custom elements, what can be set on them and what they say', () => {
    expect(said('elements')).toBe('');
    expect(said('wrongElements')).toMatch(/"wide"' is not assignable/);
    expect(said('wrongElements')).toMatch(/Property 'cost' does not exist/);
  });

  it('know the custom elements in JSX', () => {
    expect(said('jsx')).toBe('');
    expect(said('wrongJsx')).toMatch(/"all"' is not assignable/);
  });

  it('tell a refused consume, which has a reason, from one that was paid, which has none', () => {
    expect(said('consume')).toBe('');
    expect(said('wrongConsume')).toContain("Property 'reason' does not exist");
  });

  it('take any key where no catalogue is registered', () => {
    expect(said('anyKey')).toBe('');
  });

  it('complete and check the keys of a catalogue that is registered', async () => {
    const keys = await compile({ catalog: CATALOG + REGISTER, own: uses(OWN), wrong: uses(WRONG) });
    expect(keys('catalog') + keys('own')).toBe('');
    const refusals = Object.values(WRONG).map((key) => refused(keys('wrong'), key));
    expect(refusals).toEqual([2, 5, 3]);
  });
});

it('have a docstring for every export', () => {
  const doors = readDoors(join(folder, 'client'));
  const untold = doors.flatMap((door) =>
    door.exports.filter(({ doc }) => doc === null).map(({ name }) => `${door.name}: ${name}`),
  );
  expect(untold).toEqual([]);
  const { exports } = JSON.parse(readFileSync(at('../package.json'), 'utf8'));
  const named = Object.keys(exports).filter((name) => name !== './ui.css');
  expect(doors.map(({ name }) => name).toSorted()).toEqual(named.toSorted());
  expect(doors.find(({ name }) => name === './react')?.exports.length).toBeGreaterThan(50);
});

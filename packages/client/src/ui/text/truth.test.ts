import type { Catalog, PlanOffer } from '@extension-billing/contract/catalog';
import { defineCatalog, type PackInput, type PlanInput } from '@extension-billing/contract/define-catalog';
import { costOf, gateOf } from '@extension-billing/contract/features';
import { DAY } from '@extension-billing/contract/time';
import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';
import { runs } from '../../../../../functions/test/fuzz/budget.ts';
import { aSnapshot } from '../../../test/factories.ts';
import { providePricing } from '../../given-catalog.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { deriveAccess, describeAccess } from '../features/feature-access.ts';
import { plansNeeded } from '../features/plans-needed.ts';
import { formatCount, formatPrice } from '../format.ts';
import { deriveMeter, describeMeter } from '../meter/meter.ts';
import { describePack, planBenefits } from '../plans/benefits.ts';
import { derivePlanChoice, describeYearly } from '../plans/choices.ts';
import { buyLabel } from '../plans/plan-action.tsx';
import { planName } from '../plans/plan-names.ts';
import { describeStatus } from '../status/status.ts';
import { describePlanWall, describeTopUp, plansWithCredits } from '../wall/describe-wall.ts';
import { builtInTexts, provideTexts, type TextLanguage, textsLoaded } from './texts.ts';

// Every sentence about what is sold must be true for every catalogue (notes on the UI, "Words").

const NOW = Date.UTC(2026, 10, 21, 12);

const plan = fc.record(
  {
    interval: fc.constantFrom('month' as const, 'year' as const, undefined),
    amount: fc.constantFrom(900, 9_000, 9_720),
    name: fc.constant('Team'),
    grants: fc.constantFrom<readonly ('basic' | 'pro')[]>([], ['basic'], ['pro']),
    credits: fc.record({
      amount: fc.constant(1_000),
      every: fc.constantFrom('month' as const, 'week' as const, 'day' as const, '5h' as const, '1h' as const),
    }),
    trial: fc.boolean(),
  },
  { requiredKeys: ['interval', 'amount', 'grants', 'trial'] },
);
const toPlan = ({
  interval,
  trial,
  ...sold
}: typeof plan extends fc.Arbitrary<infer One> ? One : never): PlanInput<'basic' | 'pro'> =>
  interval === undefined
    ? { ...sold, kind: 'lifetime', currency: 'usd' }
    : { ...sold, kind: 'subscription', interval, trial, currency: 'usd' };
const pack: fc.Arbitrary<PackInput> = fc.record(
  {
    amount: fc.constantFrom(500, 2_000),
    currency: fc.constant('usd'),
    credits: fc.constantFrom(100, 500),
    expiresAfterDays: fc.constantFrom(1, 30),
    name: fc.constant('A jar'),
  },
  { requiredKeys: ['amount', 'currency', 'credits'] },
);
const FEATURES = ['one', 'two', 'three'] as const;
const feature = fc.record(
  {
    gate: fc.constantFrom('metered' as const, 'paywall' as const, 'none' as const),
    cost: fc.constant(5),
    needs: fc.constantFrom('basic' as const, 'pro' as const),
  },
  { requiredKeys: ['gate'] },
);
const byNumber = <One>(kind: string, all: readonly One[]): Record<string, One> =>
  Object.fromEntries(all.map((one, index) => [`${kind}_${index}`, one]));

const anyCatalog: fc.Arbitrary<Catalog> = fc
  .record({
    plans: fc.array(plan.map(toPlan), { maxLength: 4, size: 'max' }),
    packs: fc.array(pack, { maxLength: 2, size: 'max' }),
    features: fc.array(feature, { minLength: FEATURES.length, maxLength: FEATURES.length }),
    trialDays: fc.constantFrom(0, 1, 7),
    unmetered: fc.constantFrom('free' as const, 'refuse' as const),
    free: fc.constantFrom(undefined, undefined, { credits: 20, every: 'week' as const }),
  })
  .map(({ plans, packs, features, free, ...more }) => {
    const named = FEATURES.flatMap((name, at) => (features[at] ? [[name, features[at]] as const] : []));
    return defineCatalog({
      model: plans.length === 0 ? 'credits-only' : 'hybrid-credits',
      gate: 'metered',
      ...more,
      ...(free && { free }),
      entitlements: { basic: {}, pro: { includes: ['basic'] } },
      plans: byNumber('plan', plans),
      packs: byNumber('pack', packs),
      features: Object.fromEntries(named),
    });
  });

/** Nobody, or a user without a plan, on one that is sold, or on one that no longer is. */
const anySnapshot = (catalog: Catalog): fc.Arbitrary<EntitlementSnapshot> =>
  fc
    .record({
      plan: fc.constantFrom<PlanOffer | null>(null, ...catalog.plans),
      state: fc.constantFrom('active' as const, 'trial' as const, 'cancel_pending' as const),
      uid: fc.constantFrom('ada', 'ada', null),
      trialUsed: fc.boolean(),
      allowance: fc.constantFrom(0, 3, 1_000),
      packs: fc.array(
        fc.record({
          left: fc.constantFrom(1, 4, 100),
          ends: fc.constantFrom(null, NOW + DAY, NOW + 9 * DAY),
        }),
        { maxLength: 2 },
      ),
      hasCredits: fc.boolean(),
    })
    .map(({ plan: own, state, allowance, packs, hasCredits, uid, ...more }) => {
      const packCredits = packs.reduce((sum, { left }) => sum + left, 0);
      const pools = packs.flatMap(({ left, ends }, at) => {
        const pool = { source: `pack_${at}`, kind: 'pack', amount: left, every: 'once', left } as const;
        return ends === null
          ? []
          : [{ ...pool, anchor: NOW - DAY, from: NOW - DAY, period: NOW - DAY, until: ends }];
      });
      const isPaid = own !== null && uid !== null;
      const isLifetime = own?.kind === 'lifetime';
      return aSnapshot({
        ...more,
        uid,
        paid: isPaid,
        plan: isPaid ? own.lookupKey : null,
        entitlements: isPaid ? own.grants : [],
        state: !isPaid ? 'free' : isLifetime ? 'lifetime' : state,
        status: !isPaid || isLifetime ? null : state === 'trial' ? 'trialing' : 'active',
        cancelAtPeriodEnd: isPaid && state === 'cancel_pending',
        currentPeriodEnd: isPaid && !isLifetime ? NOW + 20 * DAY : null,
        contactAt: NOW,
        mirroredAt: NOW,
        credits:
          uid !== null && hasCredits
            ? { balance: allowance + packCredits, allowance, packCredits, monthlyCredits: 0, pools }
            : null,
      });
    });

/** Something that a page says, and what of the world it is about. */
interface Said {
  readonly text: string;
  readonly plan?: PlanOffer;
  readonly pack?: Catalog['packs'][number];
  readonly feature?: string;
  /** What a wall offers. */
  readonly offered?: readonly PlanOffer[];
}

/** Every sentence of plans, packs, walls, features and buttons. */
function everythingSaid(catalog: Catalog, snapshot: EntitlementSnapshot): readonly Said[] {
  const meter = deriveMeter(snapshot, catalog);
  const features = [...Object.keys(catalog.features), 'misspelt'];
  return [
    ...catalog.plans.flatMap((offer) => {
      const choice = derivePlanChoice(offer, snapshot, catalog);
      const button = choice.kind === 'buy' ? [buyLabel(offer, choice.trialDays)] : [];
      return [...planBenefits(offer, catalog), ...button].map((text) => ({ text, plan: offer }));
    }),
    ...catalog.packs.map((offer) => ({ text: describePack(offer), pack: offer })),
    { text: describeYearly(catalog.plans) },
    ...describeStatus(snapshot, NOW, catalog).lines.map((text) => ({ text })),
    ...describeStatus(snapshot, NOW, catalog, { sellsPlans: false }).lines.map((text) => ({ text })),
    ...(meter === null ? [] : describeMeter(meter, snapshot, NOW)),
    ...features.flatMap((name) => {
      const said = { feature: name };
      const access = deriveAccess(name, snapshot, catalog);
      const { title, text } = describeTopUp(snapshot, NOW, catalog, name);
      const offered = access.kind === 'needs_plan' ? plansNeeded(name, snapshot, catalog) : null;
      return [
        { ...said, text: describeAccess(access) },
        ...(access.kind === 'needs_credits' ? [title, text].map((words) => ({ ...said, text: words })) : []),
        ...(offered === null ? [] : [{ ...said, offered, text: describePlanWall(offered, catalog) }]),
      ];
    }),
  ];
}

type World = Said & {
  readonly catalog: Catalog;
  readonly snapshot: EntitlementSnapshot;
  readonly found: RegExpMatchArray;
};
interface Claim {
  readonly en: RegExp;
  readonly de: RegExp;
  readonly isTrue: (world: World) => boolean;
}

const number = (text: string | undefined): number => Number(text?.replaceAll(/\D/g, ''));
const namesOf = (plans: readonly PlanOffer[]): readonly string[] => [...new Set(plans.map(planName))];
const savingOf = (yearly: PlanOffer, { plans }: Catalog): readonly number[] =>
  plans
    .filter(
      ({ interval, name, credits }) =>
        interval === 'month' &&
        name === yearly.name &&
        JSON.stringify(credits) === JSON.stringify(yearly.credits),
    )
    .map(({ amount }) => Math.floor((1 - yearly.amount / (amount * 12)) * 100));
const yearlyOf = ({ plans }: Catalog) => plans.filter(({ interval }) => interval === 'year');
const subscriptionsOf = ({ plans }: Catalog) => plans.filter(({ kind }) => kind === 'subscription');
/** What somebody may do with a feature who has bought this plan, and nothing else. */
const isOpenWith = ({ grants }: PlanOffer, name: string, catalog: Catalog): boolean => {
  const bought = aSnapshot({ paid: true, entitlements: grants, credits: null });
  return !['needs_plan', 'not_sold'].includes(deriveAccess(name, bought, catalog).kind);
};
const needsPlan = (name: string, catalog: Catalog): boolean =>
  !isOpenWith({ grants: [] } as unknown as PlanOffer, name, catalog) || gateOf(catalog, name) === 'paywall';
/** The specification's rule 3: an account that has no credits runs what is metered without any. */
const runsFree = ({ uid, credits }: EntitlementSnapshot, { unmetered, free }: Catalog): boolean =>
  uid !== null && credits === null && unmetered === 'free' && free === null;

const CLAIMS: Readonly<Record<string, Claim>> = {
  'credits of a pack never expire': {
    en: /per 100, never expire/,
    de: /pro 100, verfallen nie/,
    isTrue: ({ pack: sold }) => sold?.expiresAfterDays === undefined,
  },
  'credits of a pack expire after so many days': {
    en: /expire after ([\d,]+) days?/,
    de: /verfallen nach ([\d.]+) Tag/,
    isTrue: ({ pack: sold, found }) => sold?.expiresAfterDays === number(found[1]),
  },
  'no pack expires': {
    en: /They never expire/,
    de: /Sie verfallen nie/,
    isTrue: ({ catalog }) => catalog.packs.every(({ expiresAfterDays }) => expiresAfterDays === undefined),
  },
  'what is left of packs never expires': {
    en: /^Never expires$|packs stay/,
    de: /^Verfällt nie$|Pakete bleiben/,
    isTrue: ({ snapshot }) => (snapshot.credits?.pools ?? []).every(({ until }) => until === null),
  },
  'every year saves so much': {
    en: /^Yearly, save (\d+)%/,
    de: /^Jährlich, (\d+) % sparen/,
    isTrue: ({ catalog, found }) =>
      yearlyOf(catalog).every((yearly) => savingOf(yearly, catalog).includes(number(found[1]))),
  },
  'a year saves at most so much': {
    en: /save up to (\d+)%/,
    de: /bis zu (\d+) % sparen/,
    isTrue: ({ catalog, found }) =>
      yearlyOf(catalog).some((yearly) => savingOf(yearly, catalog).includes(number(found[1]))),
  },
  'every plan has a feature': {
    en: /^Every plan has it/,
    de: /^Jeder Tarif enthält es/,
    isTrue: ({ catalog, feature: name = '' }) => catalog.plans.every((one) => isOpenWith(one, name, catalog)),
  },
  'these plans have a feature, and no others': {
    en: /^(.*) ha(?:s|ve) it\./,
    de: /^(.*) enth(?:ält|alten) es\./,
    isTrue: ({ catalog, offered = [], feature: name = '', found }) =>
      /^(Every plan|Jeder Tarif)$/.test(found[1] ?? '') ||
      (namesOf(offered).every((one) => found[1]?.includes(one)) &&
        catalog.plans.every((one) => isOpenWith(one, name, catalog) === offered.includes(one))),
  },
  'what is offered can be cancelled at any time': {
    en: /Cancel any time/,
    de: /Jederzeit kündbar/,
    isTrue: ({ plan: one, offered = [] }) =>
      [...(one ? [one] : []), ...offered].every(({ kind }) => kind === 'subscription'),
  },
  'a plan is paid once': {
    en: /Pay once/,
    de: /Einmal zahlen/,
    isTrue: ({ plan: one }) => one?.kind === 'lifetime',
  },
  'a trial, and the price after it': {
    en: /^Start (\d+)-day trial, then (.*)$/,
    de: /^(\d+)-tägigen Test starten, dann (.*)$/,
    isTrue: ({ plan: one, catalog, snapshot, found }) =>
      one?.trial === true &&
      !snapshot.trialUsed &&
      number(found[1]) === catalog.trialDays &&
      (found[2]?.includes(formatPrice(one.amount, one.currency)) ?? false),
  },
  'every subscription starts with a trial': {
    en: /any subscription free for (\d+) day/,
    de: /jedes Abo (\d+) Tage? kostenlos/,
    isTrue: ({ catalog, snapshot, found }) =>
      !snapshot.trialUsed &&
      number(found[1]) === catalog.trialDays &&
      subscriptionsOf(catalog).every(({ trial }) => trial),
  },
  'these plans start with a trial': {
    en: /^Try (?!any sub)(.*) free for \d+ day/,
    de: /^Teste (.*) kostenlos, \d+ Tag/,
    isTrue: ({ catalog, snapshot, found }) =>
      !snapshot.trialUsed &&
      namesOf(subscriptionsOf(catalog).filter(({ trial }) => trial)).every((one) => found[1]?.includes(one)),
  },
  'a plan opens every premium feature': {
    en: /^Every premium feature$/,
    de: /^Alle Premium-Funktionen$/,
    isTrue: ({ plan: one, catalog }) => {
      const premium = Object.keys(catalog.features).filter((name) => needsPlan(name, catalog));
      return (
        premium.length > 0 && premium.every((name) => one !== undefined && isOpenWith(one, name, catalog))
      );
    },
  },
  'a plan brings credits in each period': {
    en: /^([\d,]+) credits every (.*)$/,
    de: /^([\d.]+) Credits (jede.*|alle.*)$/,
    isTrue: ({ plan: one, found }) => {
      const { amount = 0, every = '' } = one?.credits ?? {};
      const words =
        { month: /^month|Monat/, week: /^week|Woche/, day: /^day|Tag/ }[every as 'month'] ?? /[15]/;
      return amount === number(found[1]) && words.test(found[2] ?? '');
    },
  },
  'a feature is always free': {
    en: /^Always free$/,
    de: /^Immer kostenlos$/,
    isTrue: ({ catalog, feature: name = '' }) =>
      gateOf(catalog, name) === 'none' && catalog.features[name]?.needs === undefined,
  },
  'a feature needs no credits': {
    en: /^No credits needed$/,
    de: /^Keine Credits nötig$/,
    isTrue: ({ catalog, snapshot }) => runsFree(snapshot, catalog),
  },
  'no feature needs credits yet': {
    en: /take no credits until/,
    de: /brauchen keine Credits, bis/,
    isTrue: ({ catalog, snapshot }) => runsFree(snapshot, catalog) && catalog.packs.length > 0,
  },
  'credits are what is missing': {
    en: /^Buy credits when/,
    de: /^Kaufe Credits, wenn/,
    isTrue: ({ catalog, snapshot }) => !runsFree(snapshot, catalog) || snapshot.uid === null,
  },
  'credits can be bought': {
    en: /Top up|Buy credits|credit packs?\b/i,
    de: /Lade auf|Kaufe Credits|Credit-Paket/,
    isTrue: ({ catalog }) => catalog.packs.length > 0,
  },
  'a plan with credits is sold to this user': {
    en: /A plan with credits lets/,
    de: /Mit einem Tarif mit Credits/,
    isTrue: ({ catalog, snapshot }) => plansWithCredits(snapshot, catalog).length > 0,
  },
  'nothing that this user can buy or change to adds credits': {
    en: /nothing to buy right now that adds credits/,
    de: /nichts zu kaufen, das Credits bringt/,
    isTrue: ({ catalog, snapshot }) =>
      catalog.packs.length === 0 &&
      catalog.plans.every((one) => {
        const choice = derivePlanChoice(one, snapshot, catalog);
        const isPossible = choice.kind === 'buy' || (choice.kind === 'change' && choice.when !== 'later');
        const own = catalog.plans.find(({ lookupKey }) => lookupKey === snapshot.plan)?.credits ?? null;
        return one.credits === null || !isPossible || own !== null;
      }),
  },
  'the plan that runs stands in the way': {
    en: /^First keep your plan, or pay/,
    de: /^Behalte zuerst deinen Tarif oder zahle/,
    isTrue: ({ snapshot }) => snapshot.cancelAtPeriodEnd || snapshot.status === 'past_due' || !snapshot.paid,
  },
  'nothing is left': {
    en: /You are out of credits/,
    de: /sind aufgebraucht/,
    isTrue: ({ snapshot }) => (snapshot.credits?.balance ?? 0) === 0,
  },
  'a feature takes more than there is': {
    en: /^This takes ([\d,]+) credits?, and you have ([\d,]+)\./,
    de: /^Das braucht ([\d.]+) Credits?, und du hast ([\d.]+)\./,
    isTrue: ({ catalog, snapshot, feature: name = '', found }) =>
      number(found[1]) === costOf(catalog, name) && found[2] === formatCount(snapshot.credits?.balance ?? -1),
  },
};

async function useBrowser(language: TextLanguage): Promise<void> {
  vi.stubGlobal('chrome', { i18n: { getUILanguage: () => language, getMessage: () => '' } });
  provideTexts({});
  await textsLoaded();
}
afterAll(async () => {
  await useBrowser('en');
  vi.unstubAllGlobals();
});

it.each<TextLanguage>(['en', 'de'])(
  'says nothing of what is sold that is not true (%s)',
  async (language) => {
    await useBrowser(language);
    const world = anyCatalog.chain((catalog) =>
      anySnapshot(catalog).map((snapshot) => ({ catalog, snapshot })),
    );
    fc.assert(
      fc.property(world, ({ catalog, snapshot }) => {
        providePricing(catalog);
        const said = everythingSaid(catalog, snapshot);
        for (const one of said) {
          for (const [name, claim] of Object.entries(CLAIMS)) {
            const found = one.text.match(claim[language]);
            if (found === null) continue;
            expect(claim.isTrue({ ...one, catalog, snapshot, found }), `${name}: “${one.text}”`).toBe(true);
          }
        }
      }),
      runs(250),
    );
  },
);

it.each<TextLanguage>(['en', 'de'])('knows each claim by its sentence (%s)', async (language) => {
  await useBrowser(language);
  const sentences = Object.values(builtInTexts()).flatMap((text) =>
    typeof text === 'string' ? [text] : Object.values(text),
  );
  const filledIn = sentences.map((sentence) => sentence.replaceAll(/\$\d/g, '7'));
  const unknown = Object.entries(CLAIMS).filter(
    ([, claim]) => !filledIn.some((sentence) => claim[language].test(sentence)),
  );
  expect(unknown.map(([name]) => name)).toEqual([]);
});

import { SCOPES, type Scope } from '@extension-billing/contract/callers';
import { EXTENSION_ID } from '@extension-billing/contract/extension-id';
import * as v from 'valibot';

/** How each kind of setting is written in the environment. The messages never repeat a value. */

const text = (fallback: string) => v.pipe(v.optional(v.string(), fallback), v.trim());

/** "true" or "false"; absent or empty is the default. */
const booleanText = (fallback: boolean) =>
  v.pipe(
    text(''),
    v.transform((value) => (value === '' ? String(fallback) : value.toLowerCase())),
    v.picklist(['true', 'false'], 'must be true or false'),
    v.transform((value) => value === 'true'),
  );

/** A whole number within bounds; absent or empty is the default. */
const wholeNumber = <Fallback extends number | null>(
  fallback: Fallback,
  min: number,
  max: number,
  meaning: string,
) =>
  v.pipe(
    text(''),
    v.regex(/^\d{0,9}$/, `must be a whole number from ${min} to ${max} (${meaning})`),
    v.transform((value) => (value === '' ? fallback : Number(value))),
    v.check(
      (value) => value === fallback || (Number(value) >= min && Number(value) <= max),
      `must be a whole number from ${min} to ${max} (${meaning})`,
    ),
  );

/** Values separated by commas, each of one form; absent or empty is none. */
const commaList = (isRight: (item: string) => boolean, meaning: string) =>
  v.pipe(
    text(''),
    v.transform((value) =>
      value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    ),
    v.check((items) => items.every(isRight), `must be ${meaning}`),
  );

const ACCOUNT = /^[a-z0-9.-]+@[a-z0-9.-]+\.gserviceaccount\.com$/;

/** Service accounts with what each may, `worker@project.iam.gserviceaccount.com=consume+hold`; empty is none. */
const accountList = v.pipe(
  text(''),
  v.rawTransform<string, ReadonlyMap<string, readonly Scope[]>>(({ dataset, addIssue, NEVER }) => {
    const accounts = new Map<string, readonly Scope[]>();
    for (const item of dataset.value.split(',').map((each) => each.trim())) {
      if (item === '') continue;
      const [address = '', named = ''] = item.toLowerCase().split('=');
      const scopes = SCOPES.filter((scope) => named.split('+').includes(scope));
      const isRight =
        ACCOUNT.test(address) && scopes.length === named.split('+').length && !accounts.has(address);
      if (!isRight) {
        const message = `must be service accounts, each once, with their scopes (${SCOPES.join(', ')}): worker@project.iam.gserviceaccount.com=consume+hold, separated by commas`;
        addIssue({ message });
        return NEVER;
      }
      accounts.set(address, scopes);
    }
    return accounts;
  }),
);

/** An absolute address that a browser may be sent to: https, or http on this machine. */
const absoluteUrl = (meaning: string) =>
  v.pipe(
    text(''),
    v.check(isReturnUrl, `must be an absolute https address (http only on localhost): ${meaning}`),
  );

/** The origin of a server on this machine, or null when absent: no secret key may leave to another one. */
const loopbackBase = (meaning: string) =>
  v.pipe(
    text(''),
    v.transform((value) => (value === '' ? null : value)),
    v.check(
      (value) => value === null || isLoopbackOrigin(value),
      `must be an address on this machine such as http://127.0.0.1:4242 (${meaning})`,
    ),
    v.transform((value) => (value === null ? null : new URL(value).origin)),
  );

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

function isReturnUrl(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.includes(url.hostname));
}

/** As browsers write it in `Origin`: with no path, and no port where it is the usual one. */
function isWebOrigin(value: string): boolean {
  return isReturnUrl(value) && new URL(value).origin === value;
}

function isLoopbackOrigin(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || !LOOPBACK.includes(url.hostname)) return false;
  return ['http:', 'https:'].includes(url.protocol) && url.pathname === '/' && url.search === '';
}

/** The function's settings, checked. Made once per process and never changed. */
export interface Config {
  /** Every /billing/* route answers 501 (specification, "Server configuration"). */
  readonly disabled: boolean;
  /** The provider's secret key. Empty only while billing is disabled. */
  readonly providerSecretKey: string;
  /** What seals sales: the provider's secret key, then the keys that it has replaced. */
  readonly saleSecrets: readonly string[];
  /** Others let users write metadata on this account at the provider, so that plain metadata proves no sale. */
  readonly sharedAccount: boolean;
  /** The webhook endpoint's signing secret. Empty only while billing is disabled. */
  readonly webhookSecret: string;
  /** Where the provider sends the browser back to. Empty only while billing is disabled. */
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly portalReturnUrl: string;
  /** Days that a first subscription is free, in place of what the catalogue says; 0 turns trials off. */
  readonly trialDays: number | null;
  readonly automaticTax: boolean;
  readonly allowPromoCodes: boolean;
  /** Chrome extension ids whose pages may call with CORS. */
  readonly extensionIds: readonly string[];
  /** Origins of web apps whose pages may call with CORS. */
  readonly webOrigins: readonly string[];
  /** This Firebase project, which tags what it sells; null where the environment does not say. */
  readonly project: string | null;
  /** Address of a stand-in for the provider; null is the provider itself. Only ever set in the emulator. */
  readonly providerApiBase: string | null;
  /** Requests that one user may send to one instance: a sustained rate, and how many at once. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  /** The same of one service, for all users together. */
  readonly serviceRateLimit: { readonly perSecond: number; readonly burst: number };
  /** Google service accounts that may call for users, by their address in lower case. */
  readonly serviceAccounts: ReadonlyMap<string, readonly Scope[]>;
  /** What their ID tokens have to be made for; null where nothing says, and then none is taken. */
  readonly serviceAudience: string | null;
  readonly grantLimits: GrantLimits;
  /** Calls a second that the comparison makes to the provider, all together. */
  readonly providerCallsPerSecond: number;
}

/** What one person or backend may give by hand on a day in UTC. */
export interface GrantLimits {
  readonly creditsPerDay: number;
  readonly grantsPerDay: number;
}

/** The process cannot start. The message lists every setting that is wrong, and how to fix each. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The billing function cannot start:\n${problems.map((line) => `  - ${line}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const HOW_SECRET =
  'locally put it into .secret.local; for a deployed function run "firebase functions:secrets:set';

const limitsOfGrants = {
  BILLING_GRANT_CREDITS_PER_DAY: wholeNumber(
    10_000,
    0,
    100_000_000,
    'credits that one may grant by hand in a day',
  ),
  BILLING_GRANTS_PER_DAY: wholeNumber(100, 0, 1_000_000, 'grants that one may make by hand in a day'),
};

const providerRate = {
  BILLING_PROVIDER_CALLS_PER_SECOND: wholeNumber(
    20,
    1,
    1_000,
    'calls a second that the comparison makes to Stripe',
  ),
};

const SECRET_KEY = /^(?:sk|rk)_(?:test|live)_\w{8,}$/;

/** How this service tells what it sold from what others made on the same account at the provider. */
const ofSales = {
  BILLING_SHARED_ACCOUNT: booleanText(false),
  BILLING_FORMER_SECRET_KEYS: commaList((key) => SECRET_KEY.test(key), 'replaced keys, separated by commas'),
};

/** Where the function runs when nothing says so. */
export const DEFAULT_REGION = 'us-central1';
/** Mebibytes of an instance that Cloud Run has for a function. */
const MEMORY_SIZES = [256, 512, 1024, 2048, 4096, 8192];

/** Where and how large the function is deployed (index.ts): read by Firebase's tools, and checked here before them. */
const deployment = {
  BILLING_REGION: v.pipe(
    text(''),
    v.transform((value) => value || DEFAULT_REGION),
    v.regex(
      /^[a-z]+(?:-[a-z]+)+\d{1,2}$/,
      'must be a region of Cloud Run, such as us-central1 or europe-west1',
    ),
  ),
  BILLING_MIN_INSTANCES: wholeNumber(0, 0, 1_000, 'instances that are kept warm'),
  BILLING_MAX_INSTANCES: wholeNumber(100, 1, 10_000, 'instances at most'),
  BILLING_MEMORY_MIB: v.pipe(
    wholeNumber(512, 256, 8_192, 'mebibytes of an instance'),
    v.check(
      (size) => MEMORY_SIZES.includes(size),
      `must be one of ${MEMORY_SIZES.join(', ')} (mebibytes of an instance)`,
    ),
  ),
};

const always = {
  ...deployment,
  BILLING_DISABLED: booleanText(false),
  BILLING_TRIAL_DAYS: wholeNumber(null, 0, 730, 'days of a trial, 0 for none'),
  BILLING_AUTOMATIC_TAX: booleanText(false),
  BILLING_ALLOW_PROMO_CODES: booleanText(false),
  BILLING_EXTENSION_IDS: commaList(
    (id) => EXTENSION_ID.test(id),
    'extension ids of 32 letters a–p, or of Firefox (name@domain), separated by commas',
  ),
  BILLING_WEB_ORIGINS: commaList(
    isWebOrigin,
    'origins of web apps such as https://app.example.com (http only on localhost), separated by commas',
  ),
  BILLING_RATE_PER_SECOND: wholeNumber(200, 1, 100_000, 'requests a second for one user'),
  BILLING_RATE_BURST: wholeNumber(1_000, 1, 100_000, 'requests at once for one user'),
  BILLING_SERVICE_ACCOUNTS: accountList,
  BILLING_SERVICE_AUDIENCE: v.pipe(
    text(''),
    v.check((value) => value === '' || /^\S{1,500}$/.test(value), 'must be one text without spaces'),
  ),
  BILLING_SERVICE_RATE_PER_SECOND: wholeNumber(2_000, 1, 100_000, 'requests a second for one service'),
  BILLING_SERVICE_RATE_BURST: wholeNumber(10_000, 1, 100_000, 'requests at once for one service'),
  ...limitsOfGrants,
  ...providerRate,
  ...ofSales,
};

const whenSelling = {
  PAYMENT_SECRET_KEY: v.pipe(
    v.optional(v.string(), ''),
    v.trim(),
    v.regex(
      SECRET_KEY,
      `must be the provider's secret key (sk_test_… or sk_live_…): ${HOW_SECRET} PAYMENT_SECRET_KEY"`,
    ),
  ),
  PAYMENT_WEBHOOK_SECRET: v.pipe(
    v.optional(v.string(), ''),
    v.trim(),
    v.regex(
      /^whsec_[\w+/=]{8,}$/,
      `must be the webhook endpoint's signing secret (whsec_…): ${HOW_SECRET} PAYMENT_WEBHOOK_SECRET"`,
    ),
  ),
  BILLING_SUCCESS_URL: absoluteUrl('the page after a successful checkout'),
  BILLING_CANCEL_URL: absoluteUrl('the page after a cancelled checkout'),
  BILLING_PORTAL_RETURN_URL: absoluteUrl('the page that the customer portal leads back to'),
};

const inEmulator = { PAYMENT_API_BASE: loopbackBase('the address of the provider simulator') };

/**
 * Reads and checks the environment. Throws ConfigError with every problem at once.
 *
 * `PAYMENT_API_BASE` points the provider's client at a simulator. It is looked at only where
 * `FUNCTIONS_EMULATOR` is "true", which a deployed function never has (design, section 6; config-place.ts).
 */
export function readConfig(env: Environment): Config {
  const problems: string[] = [];
  const isEmulator = env.FUNCTIONS_EMULATOR === 'true';
  const basic = check(v.object(always), env, problems);
  const disabled = basic?.BILLING_DISABLED ?? false;
  const selling = disabled ? null : check(v.object(whenSelling), env, problems);
  const local = isEmulator ? check(v.object(inEmulator), env, problems) : null;
  const project = projectOf(env);
  problems.push(...misplaced(env));
  if (basic !== null && basic.BILLING_MIN_INSTANCES > basic.BILLING_MAX_INSTANCES)
    problems.push('BILLING_MIN_INSTANCES must be at most BILLING_MAX_INSTANCES');
  if (problems.length > 0 || basic === null) throw new ConfigError(problems);
  return Object.freeze({
    disabled,
    providerSecretKey: selling?.PAYMENT_SECRET_KEY ?? '',
    ...salesIn(basic, selling?.PAYMENT_SECRET_KEY ?? ''),
    webhookSecret: selling?.PAYMENT_WEBHOOK_SECRET ?? '',
    successUrl: selling?.BILLING_SUCCESS_URL ?? '',
    cancelUrl: selling?.BILLING_CANCEL_URL ?? '',
    portalReturnUrl: selling?.BILLING_PORTAL_RETURN_URL ?? '',
    trialDays: basic.BILLING_TRIAL_DAYS,
    automaticTax: basic.BILLING_AUTOMATIC_TAX,
    allowPromoCodes: basic.BILLING_ALLOW_PROMO_CODES,
    extensionIds: Object.freeze(basic.BILLING_EXTENSION_IDS),
    webOrigins: Object.freeze(basic.BILLING_WEB_ORIGINS),
    project,
    providerApiBase: local?.PAYMENT_API_BASE ?? null,
    rateLimit: Object.freeze({ perSecond: basic.BILLING_RATE_PER_SECOND, burst: basic.BILLING_RATE_BURST }),
    serviceAccounts: basic.BILLING_SERVICE_ACCOUNTS,
    serviceAudience: basic.BILLING_SERVICE_AUDIENCE || (project && addressOf(project, basic.BILLING_REGION)),
    serviceRateLimit: Object.freeze({
      perSecond: basic.BILLING_SERVICE_RATE_PER_SECOND,
      burst: basic.BILLING_SERVICE_RATE_BURST,
    }),
    grantLimits: Object.freeze(grantLimitsIn(basic)),
    providerCallsPerSecond: basic.BILLING_PROVIDER_CALLS_PER_SECOND,
  });
}

/** The limits alone, for who grants from a terminal. @throws ConfigError */
export function readGrantLimits(env: Environment): GrantLimits {
  return grantLimitsIn(readAlone(limitsOfGrants, env));
}

/** The provider's rate alone, for a command. @throws ConfigError */
export function readProviderRate(env: Environment): number {
  return readAlone(providerRate, env).BILLING_PROVIDER_CALLS_PER_SECOND;
}

/** What tells own sales from others', for a command with this key of the provider's. @throws ConfigError */
export const readSales = (env: Environment, secretKey: string) => salesIn(readAlone(ofSales, env), secretKey);

function salesIn(read: v.InferOutput<v.ObjectSchema<typeof ofSales, undefined>>, secretKey: string) {
  const saleSecrets = [secretKey, ...read.BILLING_FORMER_SECRET_KEYS].filter((key) => key !== '');
  return { saleSecrets: Object.freeze(saleSecrets), sharedAccount: read.BILLING_SHARED_ACCOUNT };
}

function readAlone<Entries extends v.ObjectEntries>(
  entries: Entries,
  env: Environment,
): v.InferOutput<v.ObjectSchema<Entries, undefined>> {
  const problems: string[] = [];
  const read = check(v.object(entries), env, problems);
  if (read === null) throw new ConfigError(problems);
  return read;
}

function grantLimitsIn(limits: v.InferOutput<v.ObjectSchema<typeof limitsOfGrants, undefined>>): GrantLimits {
  return {
    creditsPerDay: limits.BILLING_GRANT_CREDITS_PER_DAY,
    grantsPerDay: limits.BILLING_GRANTS_PER_DAY,
  };
}

function check<Schema extends v.GenericSchema>(
  schema: Schema,
  env: unknown,
  problems: string[],
): v.InferOutput<Schema> | null {
  const result = v.safeParse(schema, env);
  if (result.success) return result.output;
  for (const issue of result.issues) problems.push(`${v.getDotPath(issue)} ${issue.message}`);
  return null;
}

/** The deployed function's address (index.ts), known before it is deployed. */
export function addressOf(project: string, region: string = DEFAULT_REGION): string {
  return `https://${region}-${project}.cloudfunctions.net/api`;
}

/** Google's platform and Firebase's tools set one or both of these. */
function projectOf(env: Environment): string | null {
  if (env.GCLOUD_PROJECT) return env.GCLOUD_PROJECT;
  try {
    const { projectId } = JSON.parse(env.FIREBASE_CONFIG ?? '{}') as { readonly projectId?: unknown };
    return typeof projectId === 'string' && projectId !== '' ? projectId : null;
  } catch {
    // It may also be the path of a file, which the Admin SDK reads.
    return null;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Both of the simulator's secrets hold its name, and are printed in this repository. */
const SIMULATORS = /^(?:sk_test|whsec)_simulator/;
const LIVE_KEY = /^(?:sk|rk)_live_/;

/**
 * What belongs to the other place: a deployed function with something of the emulator's would trust what anybody can
 * make, and the emulator with a live key would take real money for unsigned tokens. Answers a sentence for each.
 *
 * A deployed function never has `FUNCTIONS_EMULATOR`; a value left over from a laptop is refused there, not passed over.
 */
function misplaced(env: Environment): readonly string[] {
  return env.FUNCTIONS_EMULATOR === 'true' ? misplacedInEmulator(env) : misplacedInCloud(env);
}

function misplacedInEmulator({ PAYMENT_SECRET_KEY: key = '' }: Environment): readonly string[] {
  return LIVE_KEY.test(key.trim())
    ? ['PAYMENT_SECRET_KEY is a live key: the emulator takes anybody for anyone, use a test key (sk_test_…)']
    : [];
}

function misplacedInCloud(env: Environment): readonly string[] {
  const emulators = (
    [
      ['PAYMENT_API_BASE', 'talks to the provider itself'],
      ['FIREBASE_AUTH_EMULATOR_HOST', 'takes no unsigned tokens'],
    ] as const
  )
    .filter(([name]) => (env[name] ?? '') !== '')
    .map(
      ([name, otherwise]) => `${name} is for the emulator only: remove it, a deployed function ${otherwise}`,
    );
  const known = ['PAYMENT_SECRET_KEY', 'PAYMENT_WEBHOOK_SECRET']
    .filter((name) => SIMULATORS.test((env[name] ?? '').trim()))
    .map(
      (name) =>
        `${name} is the provider simulator's, which everybody knows: run "firebase functions:secrets:set ${name}"`,
    );
  return [...emulators, ...known];
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../packages/cli/src/local/ports.ts';
import { LOCAL_EXTENSION_ID } from '../../packages/cli/src/local/suite.ts';
import { MAIL_PAGE } from '../suite/mail-page.ts';
import type { PartCommand } from '../suite/processes.ts';
import { API_PAGE } from '../suite/return-pages.ts';
import type { GivenExtension } from './given-extension.ts';

/** Whether somebody could see a window: macOS always shows one, elsewhere a display must be named. */
export function hasDisplay(environment: Environment, platform: NodeJS.Platform): boolean {
  return platform === 'darwin' || Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY);
}

/** Chromium with the extension loaded, in a profile of its own that starts empty. */
export function planBrowser(options: {
  readonly program: string;
  readonly extension: string;
  readonly profile: string;
  readonly pages: readonly string[];
  readonly asRoot: boolean;
  readonly environment: Environment;
}): PartCommand {
  const { program, extension, profile, pages, asRoot, environment } = options;
  writeDeveloperMode(profile);
  return {
    name: 'browser',
    command: program,
    args: [
      `--user-data-dir=${profile}`,
      `--disable-extensions-except=${extension}`,
      `--load-extension=${extension}`,
      '--disable-features=DisableLoadExtensionCommandLineSwitch',
      '--no-first-run',
      '--no-default-browser-check',
      '--disable-background-networking',
      ...(asRoot ? ['--no-sandbox'] : []),
      ...pages,
    ],
    cwd: profile,
    env: environment,
  };
}

/** Without developer mode Chromium disables an unpacked extension when it reloads. */
function writeDeveloperMode(profile: string): void {
  mkdirSync(join(profile, 'Default'), { recursive: true });
  const preferences = { extensions: { ui: { developer_mode: true } } };
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(preferences));
}

interface Welcome {
  readonly seconds: number;
  readonly extension: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The Chromium that was found, whether or not it was opened. */
  readonly chromium: string | undefined;
  readonly opened: boolean;
  /** What stands in the way of a purchase. */
  readonly problems: readonly string[];
  /** Somebody's own extension; null for the demo. */
  readonly given: GivenExtension | null;
}

/** The extension's own page, which shows everything that the popup does and more. */
export const OPTIONS_PAGE = `chrome-extension://${LOCAL_EXTENSION_ID}/src/demo/options/index.html`;

/** What `npm start` says when everything is up: where things are, and what to do next. */
export function welcome({
  seconds,
  extension,
  variables,
  chromium,
  opened,
  problems,
  given,
}: Welcome): string {
  const simulator = variables.PROVIDER_BASE_URL;
  return [
    '',
    `ready in ${seconds.toFixed(1)} s`,
    '',
    `  extension   ${extension}`,
    ...(given === null ? [] : givenLines(given)),
    `  service     ${variables.BILLING_BASE_URL}`,
    `  API to try  ${variables.RETURN_BASE_URL}${API_PAGE}`,
    simulator
      ? `  provider    ${simulator}/_sim  (clock, refunds, deliveries)`
      : '  provider    Stripe, with your test key',
    ...problems.map((line) => `\n  ✗ ${line}`),
    `  Firestore   ${variables.FIRESTORE_EMULATOR_HOST}`,
    `  sign-in     ${variables.FIREBASE_AUTH_EMULATOR_HOST}`,
    `  mail        ${variables.RETURN_BASE_URL}${MAIL_PAGE}  (sign-in links, new passwords)`,
    '',
    ...nextStep(opened, extension, chromium, given),
    '',
    simulator
      ? 'Card 4242 4242 4242 4242 pays; the hosted page says which one is declined.'
      : [
          'Stripe sends its events nowhere until you run this in another terminal:',
          `  stripe listen --forward-to ${variables.BILLING_BASE_URL}/billing/webhook`,
          'Put the whsec_… that it prints into .secret.local as PAYMENT_WEBHOOK_SECRET, and start again.',
        ].join('\n'),
    '',
    'Ctrl-C ends everything.',
  ].join('\n');
}

function givenLines({ id, config }: GivenExtension): readonly string[] {
  return [
    `              let in as ${id}`,
    config === null
      ? '  sells       the billing.config.ts of this checkout: the extension has none'
      : `  sells       ${config}`,
  ];
}

function nextStep(
  opened: boolean,
  extension: string,
  chromium: string | undefined,
  given: GivenExtension | null,
): readonly string[] {
  if (opened)
    return ['Next: sign up in the window that opened, with any e-mail and password, and buy a plan.'];
  const byHand = [
    'Next: in Chrome, open chrome://extensions, switch on developer mode, choose "Load unpacked" and take',
    `  ${extension}`,
    `Then open ${given === null ? 'its options page' : given.page}, sign up with any e-mail and password, and buy a plan.`,
  ];
  const command = given === null ? '--browser' : `--browser --extension ${extension}`;
  return chromium === undefined
    ? byHand
    : [...byHand, '', `Or let a fresh Chromium window open with it: npm start -- ${command}`];
}

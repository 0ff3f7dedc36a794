import { join } from 'node:path';
import { PORT_NAMES, type Ports, readPorts } from '../../packages/cli/src/local/ports.ts';
import { PROJECT_ID } from '../../packages/cli/src/local/suite.ts';
import { buildIfChanged } from './build-if-changed.ts';

/** Builds the function's bundle, functions/dist/index.cjs, when its sources changed. */
export function buildFunction(root: string): Promise<boolean> {
  return buildIfChanged(root, {
    workspace: 'functions',
    outFolder: join(root, 'functions', 'dist'),
    result: 'index.cjs',
    sources: ['billing.config.ts', 'functions', 'packages/contract', 'package-lock.json'],
    values: {},
    args: [],
  });
}

/**
 * Builds the extension for this suite's addresses when its sources or the addresses changed.
 *
 * @returns the folder to load: extension/dist on the default ports, one under .suite/ on others.
 */
export async function buildExtension(
  root: string,
  ports: Ports,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const usual = readPorts({});
  const onUsualPorts = PORT_NAMES.every((name) => ports[name] === usual[name]);
  const folder = onUsualPorts
    ? join(root, 'extension', 'dist')
    : join(root, '.suite', `extension-${ports.functions}`);
  await buildIfChanged(root, {
    workspace: 'extension',
    outFolder: folder,
    result: 'manifest.json',
    sources: ['billing.config.ts', 'extension', 'packages/client', 'packages/contract', 'package-lock.json'],
    values: extensionVariables(variables),
    args: onUsualPorts ? [] : ['--outDir', folder, '--emptyOutDir'],
  });
  return folder;
}

/** What the extension is built with to reach this suite. */
export function extensionVariables(variables: Readonly<Record<string, string>>): Record<string, string> {
  const values = {
    VITE_API_BASE_URL: variables.BILLING_BASE_URL,
    VITE_FIREBASE_PROJECT_ID: PROJECT_ID,
    VITE_AUTH_EMULATOR_URL: `http://${variables.FIREBASE_AUTH_EMULATOR_HOST}`,
    VITE_FIRESTORE_EMULATOR: variables.FIRESTORE_EMULATOR_HOST,
    VITE_RETURN_ORIGIN: variables.RETURN_BASE_URL,
  };
  return Object.fromEntries(Object.entries(values).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])));
}

import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOST, type Ports } from '../../packages/cli/src/local/ports.ts';

export interface FirebaseProject {
  /** Root of the checkout, which has the function's bundle and the rules. */
  readonly root: string;
  /** Where to write; only this suite uses it. */
  readonly folder: string;
  readonly ports: Ports;
  readonly parameters: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Whether firebase-tools starts its own Firestore emulator, as it does where hidane is not used. */
  readonly ownFirestore: boolean;
}

/**
 * Writes a Firebase project of this suite's own: the checkout's function and rules, this suite's ports,
 * parameters and secrets. So two suites on different ports can run in one checkout.
 *
 * @returns the path of its firebase.json.
 */
export function writeFirebaseProject(project: FirebaseProject): string {
  const { root, folder, ports } = project;
  const functions = join(folder, 'functions');
  mkdirSync(functions, { recursive: true });
  cpSync(join(root, 'functions', 'package.json'), join(functions, 'package.json'));
  symlinkSync(join(root, 'functions', 'dist'), join(functions, 'dist'), 'dir');
  writeFileSync(join(functions, '.env.local'), lines(project.parameters));
  writeFileSync(join(functions, '.secret.local'), lines(project.secrets), { mode: 0o600 });
  cpSync(join(root, 'firestore.rules'), join(folder, 'firestore.rules'));

  const on = (port: number): object => ({ host: HOST, port });
  const config = {
    functions: [{ codebase: 'extension-billing', source: 'functions', runtime: 'nodejs24' }],
    firestore: { rules: 'firestore.rules' },
    emulators: {
      singleProjectMode: true,
      auth: on(ports.auth),
      functions: on(ports.functions),
      ...(project.ownFirestore ? { firestore: on(ports.firestore) } : {}),
      hub: on(ports.hub),
      logging: on(ports.logging),
      ui: { enabled: false },
    },
  };
  const file = join(folder, 'firebase.json');
  writeFileSync(file, JSON.stringify(config, null, 2));
  return file;
}

function lines(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}\n`)
    .join('');
}

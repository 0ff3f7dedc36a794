import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { readPorts } from '../../packages/cli/src/local/ports.ts';
import { bringUp, type Suite } from '../suite/bring-up.ts';
import { buildExtension } from '../suite/builds.ts';
import { TEST_CATALOG } from './test-catalog.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

declare global {
  /** The suite of this process: each project of vitest loads this file anew. */
  var billingSuite: Promise<Suite> | undefined;
}

/**
 * Brings the suite up for the tests of a project, once for all projects of a run, and puts its addresses into their
 * environment. It sells the tests' catalogue, so that a change of billing.config.ts turns none of them red. A suite that
 * the environment names already (`npm run suite -- vitest …`) is taken as it is. The
 * browser's projects find the folder of the extension, built for this suite, in EXTENSION_DIST.
 *
 * @throws Error when a part does not come up or a build fails.
 */
export default async function withSuite(project: TestProject): Promise<() => Promise<void>> {
  if (process.env.BILLING_BASE_URL !== undefined) return async () => {};
  const catalog = { BILLING_CATALOG: TEST_CATALOG };
  const environment = { ...process.env, ...catalog };
  globalThis.billingSuite ??= bringUp(root, environment, new AbortController().signal);
  const suite = await globalThis.billingSuite;
  const { variables } = suite;
  const extension =
    project.name === 'e2e'
      ? { EXTENSION_DIST: await buildExtension(root, readPorts(process.env), variables, environment) }
      : {};
  project.config.env = { ...project.config.env, ...catalog, ...variables, ...extension };
  return () => suite.end();
}

import { type Environment, readPorts } from '../../packages/cli/src/local/ports.ts';
import { bringUp, type Suite } from '../suite/bring-up.ts';
import { buildExtension } from '../suite/builds.ts';
import type { Phase } from './phases.ts';

/** The one suite of a run: it comes up when the first phase asks for it. */
export interface SharedSuite {
  /** The environment that a phase runs in. @throws Error when the suite does not come up or a build fails. */
  surroundings(needs: Phase['needs']): Promise<Environment>;
  end(): Promise<void>;
}

export function sharedSuite(root: string, environment: Environment, signal: AbortSignal): SharedSuite {
  let suite: Promise<Suite> | undefined;
  return {
    async surroundings(needs) {
      if (needs === 'nothing') return environment;
      suite ??= bringUp(root, environment, signal);
      const { variables } = await suite;
      if (needs === 'suite') return { ...environment, ...variables };
      const extension = await buildExtension(root, readPorts(environment), variables);
      return { ...environment, ...variables, EXTENSION_DIST: extension };
    },
    async end() {
      await suite?.then(
        (up) => up.end(),
        () => {},
      );
    },
  };
}

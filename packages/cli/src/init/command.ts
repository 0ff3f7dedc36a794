import type { Command } from 'commander';
import { type Answer, explain } from '../support/explain.ts';

/** `billing init`: adds billing to somebody's extension. What it does is loaded when it is called. */
export function addInit(program: Command, answer: Answer): void {
  const command = program
    .command('init')
    .summary('add billing to an extension')
    .description(
      'Adds billing to the extension in a folder: the call in the background, permissions, billing.config.ts, a page, and\nthe addresses of the local service. Shows what it will change and asks once.',
    )
    .argument('[folder]', 'the folder of its package.json, or of its manifest', '.')
    .option('--yes', 'ask nothing')
    .option('--undo', 'take back what it did; refuses if you edited one of these files since')
    .option('--manifest <file>', 'the manifest to use; without it, the manifest.json nearest to the folder')
    .option('--client <tarball>', "the packed client to use; without it, this checkout's is packed")
    .action(
      async (
        folder: string,
        options: {
          readonly yes?: true;
          readonly undo?: true;
          readonly manifest?: string;
          readonly client?: string;
        },
      ) => {
        const [{ init, undo }, { packedClient }] = await Promise.all([
          import('./init.ts'),
          import('./client.ts'),
        ]);
        const { yes, manifest, client } = options;
        answer(
          options.undo
            ? undo(folder)
            : await init(folder, () => packedClient(client), {
                yes: yes === true,
                manifest: manifest ?? null,
              }),
        );
      },
    );
  explain(command, ['init ../my-extension', 'init ../my-extension --undo'], {
    0: 'done',
    1: 'nothing was done; the reason is printed',
    3: 'done, except for the lines that it printed: those are left for you',
  });
}

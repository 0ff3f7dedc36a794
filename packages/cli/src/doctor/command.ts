import type { Command } from 'commander';
import { type Answer, explain, PROJECT } from '../support/explain.ts';
import type { DoctorOptions } from './doctor.ts';

/** `billing doctor`: says what is set up and what isn't. */
export function addDoctor(program: Command, answer: Answer): void {
  const command = program
    .command('doctor')
    .summary('say what is set up and what is not')
    .description(
      'Checks settings, keys, portal, endpoint, rules and claims, and the catalogue of file, provider, published version\nand extension, one line each: of the suite that runs here, on any ports, or of one that it starts for this. With\n--project, of a deployment: its settings, Stripe, the published catalogue and whether the function answers.',
    )
    .option(
      '--endpoint <https url>',
      "the deployed service's webhook address, to see whether the provider sends its events there",
    )
    .option('--extension <folder>', 'an extension or its build; without it extension/dist, if that is built')
    .option('--project <id>', PROJECT)
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import('./doctor.ts');
      answer(await doctor(options));
    });
  explain(command, ['doctor', 'doctor --extension ../my-extension', 'doctor --project my-shop-1'], {
    0: 'everything is in order',
    1: 'something needs you, or no suite could be brought up',
  });
}

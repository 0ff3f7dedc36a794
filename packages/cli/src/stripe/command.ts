import type { Command } from 'commander';
import { type Answer, explain } from '../support/explain.ts';

/** `billing setup`: brings the catalogue, the portal and the webhook endpoint to Stripe. */
export function addSetUp(program: Command, answer: Answer): void {
  const command = program
    .command('setup')
    .summary('bring the catalog, the portal and the webhook endpoint to Stripe')
    .description(
      'Brings prices, the customer portal and the webhook endpoint at Stripe, or at the simulator, to what the service\nneeds. Repeatable: a second run changes nothing.',
    )
    .option('--endpoint <https url>', 'also register this webhook endpoint, https://…/billing/webhook')
    .option(
      '--live',
      'the live account, with the live key in PAYMENT_SECRET_KEY; without it the test key of .secret.local',
    )
    .action(async (options: { readonly endpoint?: string; readonly live?: true }) => {
      const { setUp } = await import('./set-up.ts');
      answer(await setUp({ endpoint: options.endpoint, isLive: options.live === true }));
    });
  explain(command, ['setup', 'setup --endpoint https://billing.example.com/billing/webhook'], {
    0: 'all of it is as the service needs',
    1: 'something is left for you, or the provider did not answer',
  });
}

import type { AppDeps } from '../deps.ts';
import { endSubscription } from './end-subscription.ts';

/**
 * Ends the subscriptions that would charge the owner of a lifetime plan again (design, section 11). Its effect comes
 * back as the provider's events. What the provider refuses is logged: trying again would not change it, and the daily
 * look reports it until somebody has ended it.
 *
 * @throws the provider's error where it could not be asked; each later event of the user, and the daily look, try again
 */
export async function endBesideLifetime(
  deps: Pick<AppDeps, 'stripe' | 'log'>,
  subscriptions: readonly string[],
): Promise<void> {
  for (const subscription of subscriptions) {
    const ended = await endSubscription(await deps.stripe(), subscription);
    if (ended === 'refused') deps.log.error('subscription_not_ended', { subscription });
    else if (ended !== 'over') deps.log.info('subscription_ended', { subscription, how: ended });
  }
}

import { expect, it } from 'vitest';
import { servers } from './app/suite.ts';
import { packBought } from './factories/provider-events.ts';
import { aUser, deliver } from './fixtures/service.ts';

/** Longer than 50 requests take in one process, shorter than 50 processes need to come up. */
const WITHIN_MS = 20_000;

it.each(Object.entries(servers))(
  'the %s answers 50 consumes of one user at once, and spends what is there',
  async (_name, base) => {
    const user = await aUser();
    await deliver(packBought(user, 30));
    const headers = { authorization: `Bearer ${user.idToken}`, 'content-type': 'application/json' };
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const response = await fetch(`${base}/credits/consume`, {
          method: 'POST',
          headers: { ...headers, 'idempotency-key': `at-once-${index}` },
          body: '{"feature":"demo"}',
          signal: AbortSignal.timeout(WITHIN_MS),
        });
        return response.status;
      }),
    );
    expect(answers.filter((status) => status === 200)).toHaveLength(30);
    expect(answers.filter((status) => status === 402)).toHaveLength(20);
    expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
  },
);

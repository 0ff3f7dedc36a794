import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { runs } from '../../../../functions/test/fuzz/budget.ts';
import { oddText } from '../../../../functions/test/fuzz/odd-values.ts';
import { BILLING_MESSAGES, hostileValue } from '../../test/hostile-values.ts';
import { type BillingHandlers, createRouter, parseRequest } from './router.ts';

const EXTENSION_ID = 'abcdefghijklmnop';
const OWN_PAGE = { id: EXTENSION_ID, origin: `chrome-extension://${EXTENSION_ID}` };
const RUNS = runs(2_000);

const FIELDS = [
  'feature',
  'requestId',
  'reservation',
  'expiresInSeconds',
  'lookupKey',
  'from',
  'to',
  'cursor',
  'email',
  'password',
  'leaveGuest',
  'discard',
] as const;
const type = fc.constantFrom(...BILLING_MESSAGES);
const fields = fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS), oddText), hostileValue, { maxKeys: 5 });

/** What reaches a listener: Chrome carries messages as JSON. */
const asSent = (value: unknown): unknown => {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
};

it('a message is read as its own fields and no others, or refused; nothing is thrown', () => {
  fc.assert(
    fc.property(type, fields, (name, sent) => {
      const request: object | null = parseRequest(name, sent);
      if (request === null) return;
      expect(Object.getPrototypeOf(request)).toBe(Object.prototype);
      for (const [field, value] of Object.entries(request)) {
        expect(FIELDS).toContain(field);
        if (field !== 'leaveGuest' && field !== 'discard') expect(value).toBe(sent[field]);
      }
      expect(parseRequest(name, { ...request })).toEqual(request);
    }),
    RUNS,
  );
});

it.each(['creditsConsume', 'creditsReserve'] as const)(
  '%s takes as a request’s name only what the service takes as a key',
  (name) => {
    fc.assert(
      fc.property(hostileValue, (requestId) => {
        const request = parseRequest(name, { feature: 'demo', requestId });
        const isKey = typeof requestId === 'string' && /^[\w-]{1,128}$/.test(requestId);
        expect(request).toEqual(
          isKey ? { feature: 'demo', requestId } : requestId === undefined ? { feature: 'demo' } : null,
        );
      }),
      RUNS,
    );
  },
);

it('more fields change nothing of what a message says', () => {
  fc.assert(
    fc.property(type, fields, fields, (name, sent, more) => {
      const others = Object.fromEntries(
        Object.entries(more).filter(([field]) => !(FIELDS as readonly string[]).includes(field)),
      );
      expect(parseRequest(name, { ...others, ...sent })).toEqual(parseRequest(name, sent));
    }),
    RUNS,
  );
});

it('whatever an own page sends is answered: by a handler, or with a stable code', async () => {
  const log = vi.spyOn(console, 'error');
  onTestFinished(() => log.mockRestore());
  const handlers = new Proxy({} as BillingHandlers, { get: () => async () => 'served' });
  const { onMessage: router } = createRouter(handlers, {
    extensionId: EXTENSION_ID,
    ownOrigin: OWN_PAGE.origin,
    uid: async () => null,
    unknownMessages: 'refuse',
  });
  const message = fc.oneof(
    hostileValue,
    fc.record({ type: hostileValue }),
    fc.tuple(type, fields).map(([name, sent]) => ({ ...sent, type: name })),
  );
  await fc.assert(
    fc.asyncProperty(message, async (sent) => {
      const replied = Promise.withResolvers<unknown>();
      router(asSent(sent), OWN_PAGE, replied.resolve);
      const reply = await replied.promise;
      if (reply !== 'served') {
        expect(reply).toEqual({
          error: {
            code: expect.stringMatching(/^(unknown|invalid)_message$/),
            message: expect.any(String),
          },
        });
      }
    }),
    RUNS,
  );
  expect(log).not.toHaveBeenCalled();
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

it('whatever another sender sends is refused before it is read', () => {
  const handlers = new Proxy({} as BillingHandlers, {
    get: () => () => {
      throw new Error('a stranger was served');
    },
  });
  const { onMessage: router } = createRouter(handlers, {
    extensionId: EXTENSION_ID,
    ownOrigin: OWN_PAGE.origin,
    uid: async () => null,
    unknownMessages: 'refuse',
  });
  const id = fc.option(fc.constantFrom(EXTENSION_ID, 'other', ''), { nil: undefined });
  const origin = fc.option(
    fc.oneof(fc.webUrl(), fc.constantFrom('null', '', 'chrome-extension://other', `${OWN_PAGE.origin}.evil`)),
    { nil: undefined },
  );
  fc.assert(
    fc.property(type, fields, id, origin, (name, sent, senderId, senderOrigin) => {
      const reply = vi.fn();
      const sender = {
        ...(senderId !== undefined && { id: senderId }),
        ...(senderOrigin !== undefined && { origin: senderOrigin }),
      };
      expect(router(asSent({ ...sent, type: name }), sender, reply)).toBe(false);
      expect(reply.mock.calls).toEqual([
        [{ error: { code: 'forbidden_sender', message: expect.any(String) } }],
      ]);
    }),
    RUNS,
  );
});

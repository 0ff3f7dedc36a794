import { PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it, vi } from 'vitest';
import { fakeHandlers as handlers, NOBODY } from '../../test/fake-handlers.ts';
import { fakePorts } from '../../test/fake-ports.ts';
import { type BillingHandlers, createReturnListener, createRouter, parseRequest } from './router.ts';

const EXTENSION_ID = 'abcdefghijklmnop';
const OWN_PAGE = { id: EXTENSION_ID, origin: `chrome-extension://${EXTENSION_ID}` };
interface Routed {
  readonly reply: unknown;
  readonly willReply: boolean;
}
async function route(
  message: unknown,
  options: {
    sender?: { id?: string; origin?: string };
    handlers?: BillingHandlers;
    unknown?: 'refuse' | 'leave' | 'leave_unmarked';
    ownOrigin?: string;
  } = {},
): Promise<Routed> {
  const { onMessage } = createRouter(options.handlers ?? handlers(), {
    extensionId: EXTENSION_ID,
    ownOrigin: options.ownOrigin ?? OWN_PAGE.origin,
    uid: async () => 'ada',
    unknownMessages: options.unknown ?? 'leave',
  });
  const replied = Promise.withResolvers<unknown>();
  let synchronous: unknown;
  const willReply = onMessage(message, options.sender ?? OWN_PAGE, (reply) => {
    synchronous = reply;
    replied.resolve(reply);
  });
  return { reply: willReply ? await replied.promise : synchronous, willReply };
}
const refusedWith = (code: string) => ({ error: { code, message: expect.any(String) } });

it('serves the extension’s own pages', async () => {
  expect((await route({ type: 'creditsConsume', feature: 'demo' })).reply).toEqual({
    ok: true,
    balance: 41,
    allowance: 41,
  });
});

it.each([
  [
    'its own content script, which has the page’s origin',
    { id: EXTENSION_ID, origin: 'https://example.com' },
  ],
  ['another extension', { id: 'other', origin: 'chrome-extension://other' }],
  ['another extension that names this one', { id: EXTENSION_ID, origin: 'chrome-extension://other' }],
  ['a sender without an origin', { id: EXTENSION_ID }],
  ['a sender without an id', { origin: OWN_PAGE.origin }],
])('refuses %s, and calls no handler', async (_who, sender) => {
  const consume = vi.fn(handlers().creditsConsume);
  const { reply } = await route(
    { type: 'creditsConsume', feature: 'demo' },
    { sender, handlers: handlers({ creditsConsume: consume }) },
  );
  expect(reply).toEqual(refusedWith('forbidden_sender'));
  expect(consume).not.toHaveBeenCalled();
});

it('knows its own pages in Firefox, whose origin is none of its id', async () => {
  const ownOrigin = 'moz-extension://3ea6c5b6-f047-46a3-a6fa-8659bae85d25';
  const ask = async (origin: string) =>
    (await route({ type: 'billingHello' }, { ownOrigin, sender: { id: EXTENSION_ID, origin } })).reply;
  expect(await ask(ownOrigin)).toEqual(NOBODY);
  for (const origin of [OWN_PAGE.origin, 'moz-extension://another', 'https://example.com'])
    expect(await ask(origin)).toEqual(refusedWith('forbidden_sender'));
});

it.each([{ type: 'grantCredits' }, { type: 'toString' }, { type: '__proto__' }, {}, null, 'billingHello', 7])(
  'leaves %j, which is not billing’s, to the extension’s own listeners',
  async (message) => {
    expect(await route(message)).toEqual({ reply: undefined, willReply: false });
  },
);

it('leaves what only has the name of a message of billing’s where the extension says that it has such', async () => {
  const own = { type: 'authSignIn', email: 'ada@example.test', password: 'secret' };
  const unknown = 'leave_unmarked';
  for (const message of [own, { ...own, billing: 'mine' }, { type: 'mine' }])
    expect(await route(message, { unknown })).toEqual({ reply: undefined, willReply: false });
  for (const message of [{ ...own, billing: true }, { type: 'billingPortal' }])
    expect((await route(message, { unknown })).reply).toMatchObject({ ok: expect.any(Boolean) });
  expect((await route(own)).reply).toMatchObject({ ok: true });
});

it('answers an own page with an error where the extension has no messages of its own', async () => {
  expect((await route({ type: 'grantCredits' }, { unknown: 'refuse' })).reply).toEqual(
    refusedWith('unknown_message'),
  );
});

it.each([
  { type: 'creditsConsume' },
  { type: 'creditsConsume', feature: 3 },
  { type: 'creditsConsume', feature: '' },
  { type: 'creditsConsume', feature: 'demo', requestId: 'press 1' },
  { type: 'creditsReserve', feature: '' },
  { type: 'creditsReserve', feature: 'demo', expiresInSeconds: 0.5 },
  { type: 'creditsConfirm' },
  { type: 'creditsRelease', reservation: 'a/b' },
  { type: 'creditsUsage', from: '2026-11-01' },
  { type: 'billingCheckout', lookupKey: null },
  { type: 'authSignIn', email: 'ada@example.com' },
])('refuses %j, whose fields are not what the message needs', async (message) => {
  expect((await route(message)).reply).toEqual(refusedWith('invalid_message'));
});

it('hands the handler the fields of the message and no others', async () => {
  const checkout = vi.fn(handlers().billingCheckout);
  const message = { type: 'billingCheckout', lookupKey: PLAN.monthly, price: 'price_1', amount: 1 };
  await route(message, { handlers: handlers({ billingCheckout: checkout }) });
  expect(checkout).toHaveBeenCalledWith({ lookupKey: PLAN.monthly });
});

it('takes the service’s own word for a lookup key as well', async () => {
  const checkout = vi.fn(handlers().billingCheckout);
  const message = { type: 'billingCheckout', lookup_key: PLAN.monthly };
  await route(message, { handlers: handlers({ billingCheckout: checkout }) });
  expect(checkout).toHaveBeenCalledWith({ lookupKey: PLAN.monthly });
});

it('answers an error when a handler fails, and logs nothing that the user typed', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const failing = handlers({ authSignIn: () => Promise.reject(new Error('hunter2 is wrong')) });
  const { reply } = await route(
    { type: 'authSignIn', email: 'a@b.c', password: 'hunter2' },
    { handlers: failing },
  );
  expect(reply).toEqual(refusedWith('internal'));
  expect(JSON.stringify([log.mock.calls, reply])).not.toContain('hunter2');
  log.mockRestore();
});

const RETURN_ORIGIN = 'https://shop.example';
function returned(message: unknown, origin: string, returnOrigin: string | undefined = RETURN_ORIGIN) {
  const onReturn = vi.fn();
  const reply = vi.fn();
  createReturnListener(returnOrigin, onReturn)(message, { origin }, reply);
  return { onReturn, reply: reply.mock.calls[0]?.[0] };
}

it('is woken by the return page', () => {
  const { onReturn, reply } = returned({ type: 'billingReturn' }, RETURN_ORIGIN);
  expect(onReturn).toHaveBeenCalledOnce();
  expect(reply).toEqual({ ok: true });
});

it.each([
  ['another origin', 'https://evil.example', RETURN_ORIGIN],
  ['anybody where there is no return page', RETURN_ORIGIN, undefined],
])('refuses to be woken by %s', (_who, origin, returnOrigin) => {
  const onReturn = vi.fn();
  const reply = vi.fn();
  createReturnListener(returnOrigin, onReturn)({ type: 'billingReturn' }, { origin }, reply);
  expect(onReturn).not.toHaveBeenCalled();
  expect(reply).toHaveBeenCalledWith(refusedWith('forbidden_sender'));
});

it('serves no billing message to anybody outside, the return page included', () => {
  const { onReturn, reply } = returned({ type: 'creditsConsume', feature: 'demo' }, RETURN_ORIGIN);
  expect(onReturn).not.toHaveBeenCalled();
  expect(reply).toEqual(refusedWith('forbidden_sender'));
});

it.each(['https://partner.example', RETURN_ORIGIN])(
  'leaves what %s says to the extension’s own',
  (origin) => {
    const { onReturn, reply } = returned({ type: 'hostPing' }, origin);
    expect(onReturn).not.toHaveBeenCalled();
    expect(reply).toBeUndefined();
  },
);

it('takes a field that is undefined, which Firefox delivers, for one that is not there', () => {
  const sent = { lookupKey: PLAN.monthly, currency: undefined };
  expect(parseRequest('billingCheckout', sent)).toEqual({ lookupKey: PLAN.monthly });
});

it('takes the link of a sign-in mail from the return page alone, and tells it no more than whether it signed in', async () => {
  const links: string[] = [];
  const onLink = async (link: string): Promise<boolean> => {
    links.push(link);
    if (link === 'https://broken.example') throw new Error('secret');
    return link === 'https://good.example';
  };
  const bring = (link: unknown, origin = RETURN_ORIGIN) =>
    new Promise((resolve) => {
      createReturnListener(RETURN_ORIGIN, () => {}, onLink)(
        { type: 'billingSignIn', link },
        { origin },
        resolve,
      );
    });
  expect(await bring('https://good.example')).toEqual({ ok: true });
  expect(await bring('https://used.example')).toEqual({ ok: false });
  expect(await bring('https://broken.example')).toEqual({ ok: false });
  links.length = 0;
  for (const nonsense of [undefined, 7, 'x'.repeat(5_000)])
    expect(await bring(nonsense)).toEqual({ ok: false });
  expect(await bring('https://good.example', 'https://evil.example')).toMatchObject({
    error: { code: 'forbidden_sender' },
  });
  expect(links).toEqual([]);
});

describe('over a port', () => {
  const connect = (sender: { id?: string; origin?: string }, name = 'extension-billing') => {
    const ports = fakePorts(sender);
    const creditsConsume = vi.fn(handlers().creditsConsume);
    ports.onConnect.addListener(
      createRouter(handlers({ creditsConsume }), {
        extensionId: EXTENSION_ID,
        ownOrigin: OWN_PAGE.origin,
        uid: async () => 'ada',
        unknownMessages: 'leave_unmarked',
      }).onConnect,
    );
    const port = ports.connect({ name });
    const heard: unknown[] = [];
    port.onMessage.addListener((part) => heard.push(part));
    const ask = async (request: object): Promise<unknown> => {
      port.postMessage(request);
      await new Promise((resolve) => setTimeout(resolve));
      return heard.at(-1);
    };
    return { ask, creditsConsume };
  };
  const message = { type: 'creditsConsume', feature: 'demo' };

  it('serves the extension’s own pages, whose messages need no mark, and says that it has the request', async () => {
    const { ask } = connect(OWN_PAGE);
    expect(await ask({ id: 'a', message })).toEqual({
      id: 'a',
      reply: { ok: true, balance: 41, allowance: 41 },
    });
  });

  it.each([
    { id: EXTENSION_ID, origin: 'https://example.com' },
    { id: 'other', origin: OWN_PAGE.origin },
    { origin: OWN_PAGE.origin },
    {},
  ])('refuses %j, and calls no handler', async (sender) => {
    const { ask, creditsConsume } = connect(sender);
    expect(await ask({ id: 'a', message })).toEqual({ id: 'a', reply: refusedWith('forbidden_sender') });
    expect(creditsConsume).not.toHaveBeenCalled();
  });

  it('charges no user for a press on a page that showed another one', async () => {
    const { ask, creditsConsume } = connect(OWN_PAGE);
    expect(await ask({ id: 'a', uid: 'grace', message })).toMatchObject({
      reply: { ok: false, reason: 'account_changed' },
    });
    expect(creditsConsume).not.toHaveBeenCalled();
    expect(await ask({ id: 'b', uid: 'ada', message })).toMatchObject({ reply: { ok: true } });
    expect(await ask({ id: 'c', uid: null, message })).toMatchObject({ reply: { ok: true } });
  });

  it('leaves ports of other names to the extension, and requests without an id unanswered', async () => {
    expect(await connect(OWN_PAGE, 'mine').ask({ id: 'a', message })).toBeUndefined();
    for (const nonsense of [{ message }, { id: 7, message }, { id: 'a' }])
      expect(await connect(OWN_PAGE).ask(nonsense)).toBeUndefined();
  });

  it('refuses a message of no known type', async () => {
    const reply = refusedWith('unknown_message');
    for (const unknown of [{ type: 'mine' }, {}, null])
      expect(await connect(OWN_PAGE).ask({ id: 'a', message: unknown })).toEqual({ id: 'a', reply });
  });
});

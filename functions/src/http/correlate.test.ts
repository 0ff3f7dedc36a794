import { describe, expect, it } from 'vitest';
import { aConfig } from '../../test/app/config.ts';
import { keptLog, serveApp } from '../../test/app/serve-app.ts';

const NAME = 'name-of-1-request';
const MADE_HERE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function ask(path: string, init: RequestInit = {}, disabled = false) {
  const log = keptLog();
  const base = await serveApp({ log, config: aConfig({ disabled }) });
  const response = await fetch(base + path, init);
  const named = log.lines.map((line) => log.nameOf(line));
  return { status: response.status, answered: response.headers.get('x-correlation-id'), named };
}
const sending = (name: string) => ({ headers: { 'x-correlation-id': name } });

describe('the name of a request', () => {
  it.each([
    ['a refused token', '/credits/balance', 'GET', 401],
    ['a path that is nowhere', '/nowhere', 'GET', 404],
    ['another method', '/credits/balance', 'DELETE', 405],
    ['billing that is off', '/billing/checkout', 'POST', 501],
  ])('is in the answer and in the one line of %s', async (_what, path, method, status) => {
    const answer = await ask(path, { method, ...sending(NAME) }, status === 501);
    expect(answer).toEqual({ status, answered: NAME, named: [NAME] });
  });

  it.each([
    ['none is sent', undefined],
    ['it is empty', ''],
    ['it is too short', 'a2345'],
    ['it is too long', 'x'.repeat(65)],
    ['it is a mail address', 'ann@example.test'],
    ['it would begin a log line of its own', 'name-1 {"severity":"INFO"}'],
    ['it is no ASCII', 'näme-of-one'],
    ['it is sent twice', `${NAME}, ${NAME}`],
  ])('is made here where %s', async (_what, name) => {
    const { answered, named } = await ask('/credits/balance', name === undefined ? {} : sending(name));
    expect(answered).toMatch(MADE_HERE);
    expect(named).toEqual([answered]);
  });

  it('is another one for each request', async () => {
    const [first, second] = [await ask('/credits/balance'), await ask('/credits/balance')];
    expect(first.answered).not.toBe(second.answered);
  });

  it('may be sent and read by the extension, and by no other page', async () => {
    const preflight = async (origin: string) => {
      const response = await fetch(`${await serveApp()}/credits/consume`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      const { headers } = response;
      return [headers.get('access-control-allow-headers'), headers.get('access-control-expose-headers')];
    };
    expect(await preflight('chrome-extension://keggfklddlhbjeolakknnaliambbpajm')).toEqual([
      expect.stringContaining('X-Correlation-Id'),
      expect.stringContaining('X-Correlation-Id'),
    ]);
    expect(await preflight('https://elsewhere.example')).toEqual([null, null]);
  });
});

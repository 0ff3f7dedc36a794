import { expect, test } from 'vitest';
import { MAIL_PAGE, mailPage } from './mail-page.ts';
import { serve } from './serve.fixture.ts';

function servePage(mails: string): Promise<string> {
  const page = mailPage(mails);
  return serve((request, response) => {
    if (!page(request, response)) response.writeHead(418).end();
  });
}

test('what would have been mailed can be clicked, the newest first, and is taken for no markup', async () => {
  const mail = (email: string, code: string) => ({
    ...{
      email,
      requestType: 'EMAIL_SIGNIN',
      oobLink: `http://auth/emulator/action?mode=signIn&oobCode=${code}`,
    },
  });
  const oobCodes = [mail('old@example.test', '1'), mail('"<b>"@example.test', '2')];
  const emulator = await serve((_, response) => response.end(JSON.stringify({ oobCodes })));
  const html = await (await fetch((await servePage(emulator)) + MAIL_PAGE)).text();
  const links = [...html.matchAll(/<a href="([^"]+)">Sign in<\/a> for ([^<]+)</g)].map((found) =>
    found.slice(1),
  );
  expect(links).toEqual([
    ['http://auth/emulator/action?mode=signIn&amp;oobCode=2', '&quot;&lt;b>&quot;@example.test'],
    ['http://auth/emulator/action?mode=signIn&amp;oobCode=1', 'old@example.test'],
  ]);
});

test('an emulator that is gone is said to be, and other addresses are left to others', async () => {
  const base = await servePage('http://127.0.0.1:1');
  expect((await fetch(base + MAIL_PAGE)).status).toBe(502);
  expect((await fetch(`${base}/other`)).status).toBe(418);
});

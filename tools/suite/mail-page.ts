import type { IncomingMessage, ServerResponse } from 'node:http';

/** Where the mails of this suite lie on the server of the return pages. */
export const MAIL_PAGE = '/mail/';

/** What the auth emulator would have mailed. */
interface Mail {
  readonly email: string;
  readonly requestType: string;
  readonly oobLink: string;
}

/**
 * The links that the auth emulator would have mailed, the newest first, to be clicked: it sends no mail.
 *
 * @param mails the emulator's address for them
 * @returns a handler that answers MAIL_PAGE and tells whether it did
 */
export function mailPage(mails: string) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== MAIL_PAGE) return false;
    const type = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
    fetch(mails)
      .then((answer) => answer.json() as Promise<{ readonly oobCodes?: readonly Mail[] }>)
      .then(
        ({ oobCodes = [] }) => response.writeHead(200, type).end(page(oobCodes.toReversed())),
        () =>
          response
            .writeHead(502, { 'content-type': 'text/plain' })
            .end('The auth emulator does not answer.\n'),
      );
    return true;
  };
}

const KINDS: Readonly<Record<string, string>> = {
  EMAIL_SIGNIN: 'Sign in',
  PASSWORD_RESET: 'Set a new password',
};

function page(mails: readonly Mail[]): string {
  const items = mails.map(
    ({ email, requestType, oobLink }) =>
      `<li><a href="${escaped(oobLink)}">${escaped(KINDS[requestType] ?? requestType)}</a> for ${escaped(email)}</li>`,
  );
  const list =
    items.length === 0 ? '<p>None yet. Reload after the next one.</p>' : `<ul>${items.join('')}</ul>`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Mail of this suite</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/billing/page.css" />
    <style>
      body { grid-template-columns: minmax(0, 420px); justify-content: center }
      ul { margin: 16px 0 0; padding: 0; list-style: none; overflow-wrap: anywhere }
      li + li { margin-top: 8px }
      a { color: inherit; font-weight: 600 }
    </style>
  </head>
  <body>
    <main>
      <h1>Mail of this suite</h1>
      ${list}
    </main>
  </body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { fakeMachine } from '../fake-machine.ts';
import { isDirect, readNetwork, shown } from './network.mjs';
import { readText } from './request.mjs';
import { PLAIN, serve, serveProxy, serveSecurely } from './test-server.ts';

/** As npm tells the scripts that it runs. */
const BY_NPM = { npm_config_user_agent: 'npm/11.0.0' };
const networkOf = (environment: Record<string, string>) =>
  readNetwork(fakeMachine({ environment: { ...BY_NPM, ...environment } }));
const textOf = async (url: string, environment: Record<string, string>) =>
  (await readText(url, { network: networkOf(environment) })).text;

function fileOf(text: string): string {
  const file = join(temporaryFolder(), 'authorities.pem');
  writeFileSync(file, text);
  return file;
}

describe('behind a proxy', () => {
  test.each(['HTTPS_PROXY', 'https_proxy', 'npm_config_https_proxy', 'npm_config_proxy', 'ALL_PROXY'])(
    'that %s names, a secure server is reached through a tunnel',
    async (name) => {
      const proxy = await serveProxy();
      const far = await serveSecurely((_, response) => response.end('from afar'));
      const cafile = fileOf(far.certificate);
      expect(await textOf(`${far.url}/x`, { [name]: proxy.url, npm_config_cafile: cafile })).toBe(
        'from afar',
      );
      expect(proxy.asked).toEqual([`CONNECT localhost:${far.port}`]);
    },
  );

  test('an insecure address is asked of the proxy itself', async () => {
    const proxy = await serveProxy();
    expect(await textOf('http://far.example/x?y', { http_proxy: proxy.url })).toBe('from the proxy');
    expect(proxy.asked).toEqual(['GET http://far.example/x?y']);
  });

  test('the proxy’s password is sent to it, and a refusal names it without', async () => {
    const proxy = await serveProxy('ann:se cret');
    const far = await serveSecurely((_, response) => response.end('from afar'));
    const known = { npm_config_cafile: fileOf(far.certificate) };
    const withPassword = (password: string) => proxy.url.replace('//', `//ann:${password}@`);
    expect(await textOf(far.url, { ...known, HTTPS_PROXY: withPassword('se%20cret') })).toBe('from afar');
    const refused = textOf(far.url, { ...known, HTTPS_PROXY: withPassword('guess') });
    await expect(refused).rejects.toThrow(`the proxy ${proxy.url}/ answers 407 for localhost:${far.port}`);
    await expect(refused).rejects.not.toThrow(/guess/);
  });

  test.each(['NO_PROXY', 'no_proxy', 'npm_config_noproxy'])('%s goes around it', async (name) => {
    const near = await serve((_, response) => response.end('from nearby'));
    const dead = { http_proxy: 'http://127.0.0.1:1' };
    expect(await textOf(near.url, { ...dead, [name]: 'x.example, 127.0.0.1' })).toBe('from nearby');
    await expect(textOf(near.url, dead)).rejects.toThrow('cannot be reached');
  });

  test('that is not there, it says which', async () => {
    const asked = textOf('https://far.example/', { https_proxy: 'http://127.0.0.1:1' });
    await expect(asked).rejects.toThrow('the proxy http://127.0.0.1:1/ cannot be used: ');
  });

  test('whose address is none, it says so', () => {
    expect(() => networkOf({ https_proxy: 'socks5://127.0.0.1:1080' })).toThrow(/no http:\/\/ or https:\/\//);
  });

  test('that only npm knows, npm is asked, where it did not start this', () => {
    const said = 'https-proxy=http://proxy.example:8080\nproxy=null\nnoproxy=near.example\ncafile=null\n';
    const network = readNetwork(fakeMachine({ programs: { npm: () => said } }));
    expect(network.proxyFor(new URL('https://far.example'))?.host).toBe('proxy.example:8080');
    expect(network.proxyFor(new URL('https://near.example'))).toBeUndefined();
    expect(network.proxyFor(new URL('http://far.example'))).toBeUndefined();
    expect(network.variables).toMatchObject({
      HTTPS_PROXY: 'http://proxy.example:8080',
      NO_PROXY: 'near.example',
    });
  });
});

test.each([
  ['https://a.example/', 'a.example', true],
  ['https://b.a.example/', 'a.example', true],
  ['https://b.a.example/', '.a.example', true],
  ['https://b.a.example/', '*.a.example', true],
  ['https://ba.example/', 'a.example', false],
  ['https://a.example/', 'a.example:8443', false],
  ['https://a.example:8443/', 'a.example:8443', true],
  ['https://a.example/', 'b.example *', true],
  ['http://[::1]/', '::1', false],
  ['http://[::1]/', '127.0.0.1,localhost', false],
  ['https://A.EXAMPLE/', 'a.Example', true],
  ['https://a.example/', '', false],
])('%s goes around the proxy with NO_PROXY=%s: %s', (url, list, expected) => {
  expect(isDirect(new URL(url), list)).toBe(expected);
});

test('a server whose certificate nobody vouches for is not trusted, until npm’s cafile does', async () => {
  const far = await serveSecurely((_, response) => response.end('from afar'));
  await expect(textOf(far.url, {})).rejects.toThrow(/self-signed certificate/);
  expect(await textOf(far.url, { npm_config_cafile: fileOf(far.certificate) })).toBe('from afar');
  expect(await textOf(far.url, { NODE_EXTRA_CA_CERTS: fileOf(far.certificate) })).toBe('from afar');
  await expect(textOf(far.url, { npm_config_strict_ssl: 'false' })).rejects.toThrow(/self-signed/);
});

describe('a redirection', () => {
  test('is followed, and another host does not get the password', async () => {
    const seen: (string | undefined)[] = [];
    const store = await serve(({ headers }, response) => {
      seen.push(headers.authorization);
      response.end('stored');
    });
    const index = await serve(({ headers }, response) => {
      seen.push(headers.authorization);
      response.writeHead(302, { location: `${store.url}/file` }).end();
    });
    const { text } = await readText(index.url.replace('//', '//ann:secret@'), { network: PLAIN });
    expect([text, seen]).toEqual(['stored', ['Basic YW5uOnNlY3JldA==', undefined]]);
  });

  test('from a secure address to an insecure one is refused', async () => {
    const near = await serve((_, response) => response.end());
    const far = await serveSecurely((_, response) => response.writeHead(301, { location: near.url }).end());
    const asked = textOf(far.url, { npm_config_cafile: fileOf(far.certificate) });
    await expect(asked).rejects.toThrow('which is not https');
    expect(near.asked).toEqual([]);
  });

  test('that never ends is given up', async () => {
    const round = await serve((_, response) => response.writeHead(302, { location: '/again' }).end());
    await expect(readText(round.url, { network: PLAIN })).rejects.toThrow('leads on and on');
  });
});

test('who does not answer is given up', async () => {
  const silent = await serve(() => {});
  const answer = { answer: 50, silence: 60_000 };
  await expect(readText(silent.url, { network: PLAIN, patience: answer })).rejects.toThrow(
    'no answer within 0.05 s',
  );
  const tired = await serve((_, response) => response.write('begun'));
  const silence = { answer: 60_000, silence: 50 };
  await expect(readText(tired.url, { network: PLAIN, patience: silence })).rejects.toThrow(
    'nothing came for 0.05 s',
  );
});

test('an address is shown without what may be secret in it', () => {
  expect(shown('https://ann:secret@host.example:8443/path?token=x')).toBe('https://host.example:8443/path');
});

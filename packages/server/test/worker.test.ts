import { fileURLToPath } from 'node:url';
import { createContext, Script } from 'node:vm';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import type * as Http from '../src/exports/http.ts';
import { consumed, ended, fakeService, held, KEY } from './fake-service.ts';

/**
 * What a worker has beside the language: the web's own. No process, no Buffer, no require, no module of Node's. The
 * classes of binary data are this process's, since they pass between both.
 */
const WEB = {
  ...{ AbortController, AbortSignal, Headers, Request, Response, URL, URLSearchParams, crypto, CryptoKey },
  ...{ TextEncoder, TextDecoder, atob, btoa, setTimeout, clearTimeout, structuredClone },
  ...{ ArrayBuffer, Uint8Array, Error, TypeError },
};

async function inWorker(fetch: typeof globalThis.fetch): Promise<typeof Http> {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../src/exports/http.ts', import.meta.url))],
    ...{
      bundle: true,
      format: 'iife',
      globalName: 'server',
      write: false,
      metafile: true,
      logLevel: 'silent',
    },
    // As bundlers for workers resolve: a module of Node's is not found, and fails the build.
    ...{ platform: 'browser', conditions: ['workerd', 'worker', 'browser'], target: 'es2022' },
  });
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.filter((input) => /functions\/|valibot|express|in-process/.test(input))).toEqual([]);
  const context = createContext({ ...WEB, fetch });
  new Script(`${outputFiles[0]?.text}; globalThis.server = server;`).runInContext(context);
  return context.server;
}

it('bundles without a module of Node’s, and charges where there is nothing but the web’s own', async () => {
  const { asked, fetch } = fakeService(consumed, held, ended, { keys: [] });
  const { createBilling } = await inWorker(fetch as typeof globalThis.fetch);
  const billing = createBilling({ url: 'https://billing.test/api', key: KEY, projectId: 'a-project' });
  expect(await billing.consume('ada', 'demo')).toMatchObject({ ok: true, balance: 9 });
  expect(await billing.withCredits('ada', 'demo', () => 'done')).toMatchObject({
    result: 'done',
    charged: true,
  });
  const header = btoa('{"alg":"RS256","kid":"k"}').replace(/=+$/, '');
  expect(await billing.verifyUser(`${header}.e30.c2ln`)).toBeNull();
  expect(asked.at(-1)?.url).toContain('securetoken@system.gserviceaccount.com');
});

// What tests of downloads stand on: a server that fails as told, a proxy, a certificate of their own.
import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Network } from './network.mjs';

export interface Served {
  /** Without a slash at its end. */
  readonly url: string;
  readonly port: number;
  /** `GET /path` of every request, with ` range` behind it where one was asked for. */
  readonly asked: string[];
}

/** An HTTP server until the end of the test. */
export const serve = (listener: RequestListener): Promise<Served> => listen(createServer(), 'http', listener);

/** An HTTPS server of `localhost` until the end of the test, with the certificate that one has to trust. */
export async function serveSecurely(listener: RequestListener): Promise<Served & { certificate: string }> {
  const { key, certificate } = certificateFor('localhost');
  const served = await listen(createSecureServer({ key, cert: certificate }), 'https', listener);
  return { ...served, certificate };
}

/** A proxy that counts what goes through it; with `password` (`name:password`) it asks for that. */
export async function serveProxy(password?: string): Promise<Served> {
  const wanted = password === undefined ? undefined : `Basic ${Buffer.from(password).toString('base64')}`;
  const isLetIn = ({ headers }: IncomingMessage): boolean =>
    wanted === undefined || headers['proxy-authorization'] === wanted;
  const server = createServer();
  const asked: string[] = [];
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    if (!isLetIn(request)) return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    // Whatever host was asked for, it stands on this machine.
    const to = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(to).pipe(socket);
    });
    socket.on('error', () => to.destroy());
    to.on('error', () => socket.destroy());
  });
  const served = await listen(server, 'http', (request, response) => {
    asked.push(`GET ${request.url}`);
    response.end('from the proxy');
  });
  return { ...served, asked };
}

async function listen(server: Server, scheme: string, listener: RequestListener): Promise<Served> {
  const asked: string[] = [];
  server.on('request', (request, response) => {
    asked.push(`GET ${request.url}${request.headers.range === undefined ? '' : ' range'}`);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `${scheme}://${scheme === 'https' ? 'localhost' : '127.0.0.1'}:${port}`, port, asked };
}

/** No proxy, and nobody's certificates but Node's. */
export const PLAIN: Network = { proxyFor: () => undefined, authorities: undefined, variables: {} };

/** Answers with these bytes, or the rest of them where a range was asked for. */
export function sendRest(bytes: Buffer): RequestListener {
  return (request, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (from === 0) return response.end(bytes);
    if (from >= bytes.length) return response.writeHead(416).end();
    const range = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
    return response.writeHead(206, { 'content-range': range }).end(bytes.subarray(from));
  };
}

/** A certificate that signs itself (RFC 5280), for one name and one day. */
function certificateFor(name: string): { key: string; certificate: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = der(0x30, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
  const commonName = der(0x30, der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from(name)));
  const subject = der(0x30, der(0x31, commonName));
  const day = 86_400_000;
  const time = (ms: number): Buffer =>
    der(0x18, Buffer.from(`${new Date(ms).toISOString().replaceAll(/\D/g, '').slice(0, 14)}Z`));
  const alternative = der(0x30, der(0x82, Buffer.from(name)));
  const extension = der(0x30, der(0x06, Buffer.from('551d11', 'hex')), der(0x04, alternative));
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    subject,
    der(0x30, time(Date.now() - day), time(Date.now() + day)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, extension)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
  const text = der(0x30, content, algorithm, signature).toString('base64');
  const certificate = `-----BEGIN CERTIFICATE-----\n${text.replaceAll(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), certificate };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

import { Agent, request } from 'node:http';

/** Connections that stay open, as those of a browser do. */
const agent = new Agent({ keepAlive: true, maxSockets: 128 });

export interface Outgoing {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Sends a request over a kept connection.
 *
 * @throws Error with the answer when its status is not 200
 */
export function send(url: string, { method = 'GET', headers = {}, body = '' }: Outgoing): Promise<string> {
  return new Promise((resolve, reject) => {
    const length = method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
    const call = request(url, { method, agent, headers: { ...headers, ...length } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('error', reject);
      answer.on('end', () =>
        answer.statusCode === 200
          ? resolve(text)
          : reject(new Error(`${method} ${url} answered ${answer.statusCode}: ${text.slice(0, 300)}`)),
      );
    });
    call.on('error', reject);
    call.end(body);
  });
}

import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Outgoing {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const agent = new Agent({ keepAlive: true });

/**
 * Sends a request over a kept connection. If the server has just closed the connection for being idle, sends it again
 * over another one, like a browser.
 *
 * @returns the headers of the answer
 * @throws Error with the answer if its status isn't 200
 */
export function send(url: string, outgoing: Outgoing): Promise<IncomingHttpHeaders> {
  const { method, path, headers, body = '' } = outgoing;
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const call = request(`${url}${path}`, { method, agent, headers: { ...headers, ...length } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(answer.headers);
        else reject(new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`));
      });
    });
    call.on('error', (error: NodeJS.ErrnoException) => {
      if (call.reusedSocket && error.code === 'ECONNRESET') send(url, outgoing).then(resolve, reject);
      else reject(error);
    });
    call.end(body);
  });
}

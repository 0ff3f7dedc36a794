import type { ServerResponse } from 'node:http';

/** What a hosted page answers: a page, or the way to another one. */
export type HostedAnswer = { status: number; html: string } | { location: string };

/** Sends an answer. A redirect is a 303: the browser follows with a GET, whatever it sent. */
export function sendHosted(response: ServerResponse, answer: HostedAnswer): void {
  const cache = { 'Cache-Control': 'no-store' };
  if ('location' in answer) response.writeHead(303, { Location: answer.location, ...cache }).end();
  else
    response
      .writeHead(answer.status, { 'Content-Type': 'text/html; charset=utf-8', ...cache })
      .end(answer.html);
}

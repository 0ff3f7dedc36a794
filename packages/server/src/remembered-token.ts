import { decodeJwt } from 'jose';

/** What a token has to have left: a request takes no longer. */
const LEFT_MS = 60_000;

/**
 * The token that a function answers, asked for again only when the last one is about to end. One whose end cannot be
 * read is asked for each time.
 */
export function rememberedToken(ask: () => string | Promise<string>): () => Promise<string> {
  let known = { token: '', until: 0 };
  // Who comes while another one asks does so too: a worker's request must not wait for another request's promise.
  return async () => {
    if (Date.now() < known.until) return known.token;
    const token = await ask();
    known = { token, until: endOf(token) - LEFT_MS };
    return token;
  };
}

/** Milliseconds since the epoch; 0 where the token does not say. */
function endOf(token: string): number {
  try {
    return (decodeJwt(token).exp ?? 0) * 1000;
  } catch {
    return 0;
  }
}

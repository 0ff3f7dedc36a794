import type { FormatName } from '../gateway/formats.ts';
import { MODELS, type Models } from './models.ts';
import type { UpstreamAddress } from './upstream.ts';

export interface Settings {
  readonly upstreams: Readonly<Record<FormatName, UpstreamAddress>>;
  /** Those whose upstream there is a key for. */
  readonly models: Models;
}

type Environment = Readonly<Record<string, string | undefined>>;

const USUAL: Readonly<Record<FormatName, { readonly url: string; readonly standIn: string }>> = {
  openai: { url: 'https://api.openai.com/v1', standIn: '/v1' },
  anthropic: { url: 'https://api.anthropic.com', standIn: '' },
  gemini: { url: 'https://generativelanguage.googleapis.com', standIn: '' },
};

/**
 * Where the models are: `OPENAI_API_KEY`, `ANTHROPIC_API_KEY` and `GEMINI_API_KEY`, each with a `…_BASE_URL` for another
 * address of the same format; or `STAND_IN_URL` for all of them, where there is no key.
 *
 * @throws Error where there is neither
 */
export function readSettings(environment: Environment): Settings {
  const standIn = environment.STAND_IN_URL?.replace(/\/$/, '');
  const addressOf = (format: FormatName): UpstreamAddress => {
    const prefix = format.toUpperCase();
    const { url, standIn: path } = USUAL[format];
    if (standIn !== undefined) return { url: `${standIn}${path}`, key: 'none' };
    const own = environment[`${prefix}_BASE_URL`]?.replace(/\/$/, '');
    return { url: own || url, key: environment[`${prefix}_API_KEY`] ?? '' };
  };
  const upstreams = {
    openai: addressOf('openai'),
    anthropic: addressOf('anthropic'),
    gemini: addressOf('gemini'),
  };
  const models = Object.fromEntries(
    Object.entries(MODELS).filter(([, { format }]) => upstreams[format].key !== ''),
  );
  if (Object.keys(models).length === 0) {
    throw new Error('Set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, or STAND_IN_URL.');
  }
  return { upstreams, models };
}

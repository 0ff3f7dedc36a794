import type { Environment } from '../../../../tools/ports.ts';
import { type Finding, fine, problem } from '../doctor/finding.ts';

/**
 * The Hosting site that the return pages go to: the one that is asked for, else the one that their address names. Never
 * a guess: the project's first site may be the owner's website.
 *
 * @param asked null where the pages are served elsewhere
 */
export function findSite(
  asked: string | undefined | null,
  { BILLING_SUCCESS_URL = '' }: Environment,
): { readonly site: string | null; readonly finding: Finding } {
  if (asked === null) return { site: null, finding: fine('pages: served elsewhere') };
  const named = /^([a-z0-9-]+)\.(?:web\.app|firebaseapp\.com)$/.exec(
    URL.parse(BILLING_SUCCESS_URL)?.hostname ?? '',
  )?.[1];
  const site = asked ?? named;
  if (site !== undefined) return { site, finding: fine(`pages: the Hosting site ${site}`) };
  return {
    site: null,
    finding: problem(
      'pages: BILLING_SUCCESS_URL names no Hosting site',
      'Name the site that this domain belongs to with --site <id>, or serve public/billing there yourself and say --no-hosting.',
    ),
  };
}

import { renderPortal } from '../pages/portal.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import type { HostedAnswer } from './html-response.ts';
import { actInPortal } from './portal-actions.ts';
import { portalView } from './portal-view.ts';

/** The portal of a customer: shows it (`form` null), or does what one of its forms asks. */
export function answerPortal(
  world: World,
  sessionId: string,
  form: URLSearchParams | null,
  notice: string | null,
): HostedAnswer {
  const session = world.tables.portal_sessions.inPath(sessionId, 'session');
  const { features } = world.tables.portal_configurations.known(idOf(session.configuration));
  const view = () => portalView(world, session, features);
  if (form === null) return { status: 200, html: renderPortal({ ...view(), notice: notice ?? undefined }) };
  const done = actInPortal(world, session, features, form);
  if ('error' in done) return { status: 402, html: renderPortal({ ...view(), error: done.error }) };
  return { location: `/p/session/${session.id}?notice=${encodeURIComponent(done.notice)}` };
}

import { lazy, type ReactNode, Suspense } from 'react';
import { useMoment, useOnline, usePricing, useSession, useTexts } from '../../hooks.ts';
import type { SessionReply, SessionUser } from '../../messages.ts';
import { billingStateView, snapshotAt } from '../../snapshot/access.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { useSnapshot } from '../../use-snapshot.ts';
import { Account, useRememberAccount } from '../account/account.tsx';
import { HostedContext } from '../account/hosted.ts';
import type { SignInFormProps } from '../account/sign-in.tsx';
import { ToastProvider, useNotifications } from '../notifications/toasts.tsx';
import { CheckoutProvider } from '../plans/checkout.tsx';
import { t } from '../text/texts.ts';
import { PlanWallProvider } from '../wall/wall-state.tsx';
import { BrandIcon } from './brand-icon.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { LoadFailed } from './load-failed.tsx';
import { Loading } from './loading.tsx';
import '../tokens.css';
import '../control-tokens.css';
import './page.css';
import './surface.css';
import { formatMoment } from '../format.ts';

/** Loaded only when nobody is signed in. */
const SignIn = lazy(async () => ({ default: (await import('../account/sign-in.tsx')).SignIn }));

/** What a surface shows, once somebody is signed in and their state is known. */
export interface SignedInView {
  readonly snapshot: EntitlementSnapshot;
  readonly user: SessionUser | null;
  readonly now: number;
  /** Asks again who is signed in, after something that changes it. */
  readonly onAccountChanged: () => void;
}

/** What a surface can show to somebody who has not signed in. */
export interface SignedOutView {
  readonly snapshot: EntitlementSnapshot;
  readonly signIn: ReactNode;
}

export interface SurfaceProps {
  /** `compact`: one column, for a popup or a side panel. `full`: a tab. */
  readonly layout: 'compact' | 'full';
  readonly title: string;
  /** Whether this build has Google sign-in set up. */
  readonly google: boolean;
  /** Whether somebody may start as a guest (Firebase's anonymous sign-in has to be switched on). */
  readonly guest?: boolean;
  /** Whether people may sign in by a link that is mailed to them (`signInLinkUrl`). */
  readonly mailLink?: boolean | undefined;
  /**
   * The extension's own way in, where it signs its users in itself (`BillingConfig.identity`): it stands where the form
   * would.
   */
  readonly hostSignIn?: ReactNode;
  /** Where a guest makes an account of their own. */
  readonly onKeepAccount?: () => void;
  readonly children: (view: SignedInView) => ReactNode;
  /** What stands around the sign-in form while nobody is signed in; without it the form stands alone. */
  readonly signedOut?: (view: SignedOutView) => ReactNode;
}

/** One page of the billing UI: loading, signed out, offline or a session that ended, and else its children. */
export function Surface(props: SurfaceProps): ReactNode {
  return (
    <div className="billing-page" data-layout={props.layout}>
      <ErrorBoundary name="Billing" fallback={didNotLoad}>
        <ToastProvider>
          <CheckoutProvider>
            <PlanWallProvider>
              <Content {...props} />
            </PlanWallProvider>
          </CheckoutProvider>
        </ToastProvider>
      </ErrorBoundary>
    </div>
  );
}

/** In the place of a page that could not be shown. */
export const didNotLoad = (retry: () => void): ReactNode => (
  <main className="billing-main">
    <LoadFailed onRetry={retry} />
  </main>
);

function Content(props: SurfaceProps): ReactNode {
  return <SurfaceView {...props} {...useSurface()} />;
}

/** What a page of the billing UI goes by. */
export interface SurfaceState {
  readonly snapshot: EntitlementSnapshot | null;
  readonly session: SessionReply | null;
  readonly now: number;
  /** Nothing is known yet, or the server is still to say what became of access that lapsed. */
  readonly isWaiting: boolean;
  readonly refresh: () => void;
}

/** For the root of a page, once: keeps the worker alive, and says in a toast what has happened. */
export function useSurface(): SurfaceState {
  useTexts();
  usePricing();
  const snapshot = useSnapshot();
  useNotifications(snapshot);
  const { reply: session, refresh } = useSession(snapshot?.uid);
  // A page that was open before the purchase has a clock up to a minute behind it: it would say one day too many.
  const moment = useMoment();
  const now = Math.max(moment.now, snapshot?.mirroredAt ?? 0);
  // What lapsed without contact is not called "free" before the server had its chance to say otherwise.
  const isWaiting = billingStateView(snapshot, { ...moment, now }) === null;
  useRememberAccount(session?.user ?? null);
  return { snapshot, session, now, isWaiting, refresh };
}

/** A page by what is known: the look of `Surface`, for those who bring its providers themselves. */
export function SurfaceView(props: SurfaceProps & SurfaceState): ReactNode {
  const {
    layout,
    title,
    google,
    guest = false,
    mailLink,
    hostSignIn,
    onKeepAccount,
    children,
    signedOut,
  } = props;
  const { snapshot, session, now, isWaiting, refresh } = props;
  const user = session?.user ?? null;
  const isSignedIn = snapshot !== null && snapshot.uid !== null;
  const isOpen = isSignedIn && !isWaiting;
  const isHosted = hostSignIn !== undefined || session?.host !== undefined;
  const signIn = wayIn(
    isHosted,
    {
      ...{ google, guest, mailLink, purpose: isOpen ? 'again' : 'sign_in', onSignedIn: refresh },
      ...(isOpen && { email: user?.email ?? '' }),
    },
    hostSignIn,
  );
  const says = (id: string, text: string): ReactNode => (
    <p className="billing-notice" role="status" data-testid={id}>
      {text}
    </p>
  );
  const silence = (
    <>
      {session?.unreadable && says('unreadable', t('storageSilent'))}
      {session?.host === 'failed' && says('host-failed', t('hostSilent'))}
    </>
  );
  return (
    <HostedContext.Provider value={isHosted}>
      <header className="billing-head">
        <div className="billing-brand">
          <BrandIcon />
          <h1>{title}</h1>
        </div>
        {isSignedIn && layout === 'full' && (
          <Account user={user} {...(onKeepAccount && { onKeep: onKeepAccount })} />
        )}
      </header>
      <main className="billing-main">
        {isOpen && <OfflineNotice snapshot={snapshot} now={now} />}
        {silence}
        {isOpen ? (
          <>
            {session?.expired && signIn}
            {children({ snapshot: snapshotAt(snapshot, now), user, now, onAccountChanged: refresh })}
          </>
        ) : snapshot === null || isWaiting ? (
          <Loading layout={layout} />
        ) : signedOut ? (
          signedOut({ snapshot, signIn })
        ) : (
          signIn
        )}
      </main>
    </HostedContext.Provider>
  );
}

/** Where somebody signs in: the form, or the extension's own way in. */
export function wayIn(isHosted: boolean, form: SignInFormProps, host?: ReactNode): ReactNode {
  return (
    <div className="billing-card billing-column billing-sign-in-card">
      <Suspense fallback={<span data-pending={!isHosted} />}>
        <SignIn {...form} isHosted={isHosted}>
          {host}
        </SignIn>
      </Suspense>
    </div>
  );
}

/** Younger than this a copy needs no date. */
const FRESH_MS = 3 * 60_000;

interface OfflineNoticeProps {
  readonly snapshot: EntitlementSnapshot;
  readonly now: number;
}

/** Says that there is no connection, and how old what is shown is. */
export function OfflineNotice({ snapshot, now }: OfflineNoticeProps): ReactNode {
  if (useOnline()) return null;
  const isFresh = now - snapshot.mirroredAt < FRESH_MS;
  return (
    <p className="billing-notice" role="status" data-testid="offline">
      {isFresh ? t('offline') : t('offlineAsOf', formatMoment(snapshot.mirroredAt, now))}
    </p>
  );
}

import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useStoredValue } from '../../hooks.ts';
import { pageBrowser } from '../../page-browser.ts';
import { send } from '../../send.ts';
import { LINK_LIVES_MS, type PendingLink, SIGN_IN_LINK_KEY } from '../../snapshot/pending-link.ts';
import { keyHere } from '../../snapshot/snapshot.ts';
import { Button } from '../controls.tsx';
import { useFocusHandover } from '../focus.ts';
import { refusalText } from '../text/refusals.ts';
import { t } from '../text/texts.ts';
import type { SignInControl } from './sign-in.tsx';

/** Only the worker writes it. */
const parse = (stored: unknown): PendingLink | null => (stored as PendingLink | undefined) ?? null;

const isGood = ({ askedAt }: PendingLink): boolean => Date.now() - askedAt <= LINK_LIVES_MS;

interface MailedLink {
  /** The link that is on its way from this browser; undefined until that is known. */
  readonly mailed: PendingLink | null | undefined;
  /** Shows the form again, until another link is asked for. */
  readonly putAside: () => void;
}

/** @param onSignedIn when the link was taken, wherever it was opened: nothing else tells the page of a guest */
export function useMailedLink(isOffered = false, onSignedIn?: () => void): MailedLink {
  const { value: pending } = useStoredValue('session', keyHere(SIGN_IN_LINK_KEY, pageBrowser()), parse);
  const [aside, setAside] = useState(0);
  const last = useRef<PendingLink | null>(null);
  useEffect(() => {
    // One that has ended goes as well.
    if (pending === null && last.current && isGood(last.current)) onSignedIn?.();
    last.current = pending ?? null;
  }, [pending, onSignedIn]);
  const isShown = isOffered && pending && isGood(pending) && pending.askedAt > aside;
  return {
    mailed: isOffered && pending === undefined ? undefined : isShown ? pending : null,
    putAside: () => setAside(pending?.askedAt ?? 0),
  };
}

interface AskForLinkProps {
  readonly busy: boolean;
  readonly onClick: () => void;
}

/** It goes with the form once a link is on its way, and the focus passes on to what is there then. */
export function AskForLink(props: AskForLinkProps): ReactNode {
  return (
    <Button ref={useFocusHandover()} wide {...props} data-testid="sign-in-link">
      {t('signInLink')}
    </Button>
  );
}

interface LinkSentProps {
  readonly mailed: PendingLink;
  /** What mails another one. */
  readonly control: SignInControl;
  readonly titleId: string | undefined;
  readonly whyId: string | undefined;
  readonly onOtherWay: () => void;
}

/** In place of the form while a link is on its way: to whom, what became of it, and the way in for who opened it elsewhere. */
export function LinkSent(props: LinkSentProps): ReactNode {
  const { mailed, control, titleId, whyId, onOtherWay } = props;
  const { email, refused } = mailed;
  const [link, setLink] = useState('');
  const [busy, setBusy] = useState(false);
  const [isSilent, setIsSilent] = useState(false);
  const back = useFocusHandover();
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    setBusy(true);
    setIsSilent(false);
    send('authUseLink', { link: link.trim() })
      .then(
        () => {}, // what came of it is in the storage
        () => setIsSilent(true),
      )
      .finally(() => setBusy(false));
  };
  const mayLeave =
    refused !== undefined && ['guest_has_purchases', 'guest_unchecked', 'email_in_use'].includes(refused);
  const mailAnother = (leaveGuest: boolean): void =>
    void control.attempt('link', { email, password: '' }, leaveGuest);
  const isMailing = control.underWay === 'link';
  const failure = isSilent ? refusalText({ code: 'no_worker' }) : control.failure?.text;
  const another = !mayLeave && (
    <Button wide busy={isMailing} onClick={() => mailAnother(mailed.leaveGuest)} data-testid="link-again">
      {t('signInLinkAgain')}
    </Button>
  );

  return (
    <form className="billing-sign-in" onSubmit={onSubmit} data-testid="link-sent">
      <h2 id={titleId}>{refused === undefined ? t('signInLinkTitle') : t('signInTitle')}</h2>
      {refused === undefined ? (
        <p className="billing-done" id={whyId} role="status">
          {t('signInLinkSent', email)}
        </p>
      ) : (
        <div className="billing-failure" id={whyId} role="alert">
          <p>{refusalText({ code: refused })}</p>
          {mayLeave && (
            <Button busy={isMailing} onClick={() => mailAnother(true)} data-testid="link-leave-guest">
              {t('signInLeaveGuest')}
            </Button>
          )}
        </div>
      )}
      {failure && (
        <p className="billing-failure" role="alert">
          {failure}
        </p>
      )}
      <label className="billing-field">
        {t('signInLinkPaste')}
        <input
          type="url"
          autoComplete="off"
          required
          value={link}
          onChange={(event) => setLink(event.target.value)}
          data-testid="link-paste"
        />
      </label>
      <div className="billing-sign-in-actions">
        {refused !== undefined && another}
        <Button
          type="submit"
          look={link === '' ? 'secondary' : 'primary'}
          wide
          busy={busy}
          data-testid="link-use"
        >
          {t('signInLinkUse')}
        </Button>
        {refused === undefined && another}
        <Button look="quiet" wide ref={back} onClick={onOtherWay} data-testid="link-other-way">
          {t('signInOtherWay')}
        </Button>
      </div>
    </form>
  );
}

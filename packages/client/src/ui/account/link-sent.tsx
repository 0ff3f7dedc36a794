import { type ReactNode, useState } from 'react';
import { useStoredValue } from '../../hooks.ts';
import { pageBrowser } from '../../page-browser.ts';
import { send } from '../../send.ts';
import { type PendingLink, SIGN_IN_LINK_KEY } from '../../snapshot/pending-link.ts';
import { keyHere } from '../../snapshot/snapshot.ts';
import { Button } from '../controls.tsx';
import { englishOfSignIn } from '../text/english-of-sign-in.ts';
import { bringTexts, refusalText, t } from '../text/texts.ts';

bringTexts(englishOfSignIn);

interface LinkSentProps {
  readonly onSignedIn?: (() => void) | undefined;
  /** Mails another link, which leaves what a guest bought behind. */
  readonly onLeaveGuest: (email: string) => void;
}

/** Only the worker writes it. */
const parse = (stored: unknown): PendingLink | null => (stored as PendingLink | undefined) ?? null;

/** Where a link is on its way: to whom, what became of it, and the way in for who opened it elsewhere. */
export function LinkSent({ onSignedIn, onLeaveGuest }: LinkSentProps): ReactNode {
  const { value: pending } = useStoredValue('session', keyHere(SIGN_IN_LINK_KEY, pageBrowser()), parse);
  const [link, setLink] = useState('');
  const [busy, setBusy] = useState(false);
  if (!pending) return null;
  const { email, refused } = pending;
  const use = (): void => {
    setBusy(true);
    send('authUseLink', { link: link.trim() })
      .then(
        (result) => result.ok && onSignedIn?.(),
        () => {}, // the form stays, and the button with it
      )
      .finally(() => setBusy(false));
  };
  return (
    <div className="billing-sign-in-actions" data-testid="link-sent">
      {refused === undefined ? (
        <p className="billing-done" role="status">
          {t('signInLinkSent', email)}
        </p>
      ) : (
        <div className="billing-failure" role="alert">
          <p>{refusalText({ code: refused })}</p>
          {['guest_has_purchases', 'guest_unchecked', 'email_in_use'].includes(refused) && (
            <Button onClick={() => onLeaveGuest(email)} data-testid="link-leave-guest">
              {t('signInLeaveGuest')}
            </Button>
          )}
        </div>
      )}
      <label className="billing-field">
        {t('signInLinkPaste')}
        <input
          type="url"
          value={link}
          onChange={(event) => setLink(event.target.value)}
          onKeyDown={(event) => {
            // Enter would submit the form around it.
            if (event.key !== 'Enter') return;
            event.preventDefault();
            if (link !== '') use();
          }}
          data-testid="link-paste"
        />
      </label>
      {link !== '' && (
        <Button wide busy={busy} onClick={use} data-testid="link-use">
          {t('signInLinkUse')}
        </Button>
      )}
    </div>
  );
}

import type { ReactNode } from 'react';
import { useCheckout } from '../plans/checkout.tsx';
import { offerName } from '../plans/offers.ts';
import { t } from '../text/texts.ts';
import type { SignInFormProps } from './sign-in.tsx';

interface HostSignInProps {
  /** `again`: the session has ended. */
  readonly purpose?: SignInFormProps['purpose'] | undefined;
  /** The extension's own way in: a button, a form, a link to its page. */
  readonly children?: ReactNode;
}

/** Where the extension signs its users in itself: why, and its own way in. */
export function HostSignIn({ purpose = 'sign_in', children }: HostSignInProps): ReactNode {
  const { wanted } = useCheckout();
  const why = purpose === 'again' ? t('signInExpired') : t('signInWhy');
  return (
    <div className="billing-sign-in" data-testid="host-sign-in">
      <h2>{purpose === 'again' ? t('signInAgain') : t('signInTitle')}</h2>
      <p className="billing-hint" role="status">
        {wanted === null ? why : t('hostSignInToBuy', offerName(wanted))}
      </p>
      {children ?? <p>{t('hostSignInFirst')}</p>}
    </div>
  );
}

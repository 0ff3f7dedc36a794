import { createBillingBackground } from '@extension-billing/client/background';
import { Surface } from '@extension-billing/client/react';
import { initializeApp } from 'firebase/app';
import { getAuth, onAuthStateChanged } from 'firebase/auth/web-extension';
import type { ReactNode } from 'react';

type Config = Parameters<typeof createBillingBackground>[0];
type Account = { readonly id: string; readonly email: string } | null;
declare const myAccounts: {
  onChange(tell: (account: Account) => void): void;
  headers(): Record<string, string>;
};
declare function MySignInButton(): ReactNode;

/** The lines of docs/signing-in.md: the compiler checks them here. */
export function byMailLink(config: Config): void {
  createBillingBackground({
    ...config,
    returnOrigin: 'https://my-shop.web.app',
    signInLinkUrl: 'https://my-shop.web.app/billing/sign-in.html',
  });
}

export function byGoogle(config: Config): void {
  createBillingBackground({
    ...config,
    googleClientId: '123-abc.apps.googleusercontent.com',
  });
}

export function byOwnFirebase(config: Config): void {
  const auth = getAuth(initializeApp({ projectId: 'my-project', apiKey: '…' }));
  createBillingBackground({
    ...config,
    identity: {
      onUser: (tell) => onAuthStateChanged(auth, tell),
      async idToken(uid, renew) {
        const user = auth.currentUser;
        return user?.uid === uid ? await user.getIdToken(renew) : null;
      },
    },
  });
}

export const byOwnServer: Pick<Config, 'identity'> = {
  identity: {
    onUser(tell) {
      myAccounts.onChange((account) => tell(account && { uid: account.id, email: account.email }));
    },
    async idToken() {
      const answer = await fetch('https://my-server.example/billing-token', {
        headers: myAccounts.headers(),
      });
      if (answer.status === 401) return null;
      if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
      return await answer.text();
    },
  },
};

export function WithLink(): ReactNode {
  return (
    <Surface layout="compact" title="My extension" google={false} mailLink>
      {() => null}
    </Surface>
  );
}

export function WithOwnSignIn(): ReactNode {
  return (
    <Surface layout="compact" title="My extension" google={false} hostSignIn={<MySignInButton />}>
      {() => null}
    </Surface>
  );
}

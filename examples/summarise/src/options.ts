import { creditsView, snapshotStore } from '@extension-billing/client/content';
import { keepBillingAlive, send } from '@extension-billing/client/messages';
import { catalog } from './catalog.ts';

const [PACK] = catalog.packs;

const byId = (id: string): HTMLElement => {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`options.html has no element "${id}".`);
  return element;
};

const snapshots = snapshotStore();
/** The auth service ended the session: what is stored is still shown, and only signing in again helps. */
let isExpired = false;

function show(): void {
  const snapshot = snapshots.get();
  const isSignedIn = snapshot !== null && snapshot.uid !== null;
  const { balance } = creditsView(snapshot);
  byId('sign-in').hidden = snapshot === null || (isSignedIn && !isExpired);
  byId('buy').hidden = !isSignedIn || isExpired || PACK === undefined;
  if (snapshot === null) byId('balance').textContent = '…';
  else if (isExpired) byId('balance').textContent = 'Your session has ended. Sign in again.';
  else if (!isSignedIn) byId('balance').textContent = 'Sign in to use your credits.';
  else byId('balance').textContent = balance === null ? 'No credits yet.' : `${balance} credits left`;
}

const refuse = (words: string): void => {
  byId('refusal').textContent = words;
};

byId('sign-in').addEventListener('submit', async (event) => {
  event.preventDefault();
  if (!(event instanceof SubmitEvent) || !(event.target instanceof HTMLFormElement)) return;
  const fields = new FormData(event.target, event.submitter);
  const credentials = { email: String(fields.get('email')), password: String(fields.get('password')) };
  const way = fields.get('way') === 'authSignUp' ? 'authSignUp' : 'authSignIn';
  const result = await send(way, credentials);
  refuse(result.ok ? '' : result.message);
});
byId('buy').textContent = `Buy ${PACK?.credits ?? 0} credits`;
byId('buy').addEventListener('click', async () => {
  if (PACK === undefined) return;
  const result = await send('billingCheckout', { lookupKey: PACK.lookupKey });
  refuse(result.ok ? '' : result.message);
});

snapshots.subscribe(show);
void snapshots.loaded.then(show);
keepBillingAlive(({ expired }) => {
  isExpired = expired;
  show();
});

import { snapshotStore } from '@extension-billing/client/content';
import { defineCatalog, providePricing } from '@extension-billing/client/pricing';
import { Account, PlanStatus, Surface } from '@extension-billing/client/react';
import { createElement as h } from 'react';
import { createRoot } from 'react-dom/client';
import '@extension-billing/client/ui.css';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root.');
providePricing(
  defineCatalog({
    model: 'hybrid-credits',
    gate: 'metered',
    trialDays: 7,
    plans: {
      of_this_extension: {
        kind: 'subscription',
        interval: 'month',
        amount: 900,
        currency: 'usd',
        trial: true,
      },
    },
    packs: { a_pack_of_it: { amount: 500, currency: 'usd', credits: 100 } },
    features: { demo: { cost: 1 } },
  }),
);
await snapshotStore().loaded;
createRoot(root).render(
  h(Surface, {
    layout: 'compact',
    title: 'An extension with accounts',
    google: true,
    guest: true,
    hostSignIn: h('button', { type: 'button' }, 'Sign in with our own account'),
    children: ({ snapshot, now, user }) =>
      h('div', null, h(PlanStatus, { snapshot, now }), h(Account, { user })),
  }),
);

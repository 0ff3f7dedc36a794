import './billing.ts';
import { snapshotStore } from '@extension-billing/client/content';
import { providePricing } from '@extension-billing/client/pricing';
import { Surface, textsLoaded } from '@extension-billing/client/react';
import { createRoot } from 'react-dom/client';
import '@extension-billing/client/ui.css';
import { catalog } from './catalog.ts';
import { Home } from './home.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element "root".');

providePricing(catalog);
await Promise.all([snapshotStore().loaded, textsLoaded()]);
createRoot(root).render(
  <Surface layout="full" title="Acme on the web" google={false}>
    {(view) => <Home {...view} />}
  </Surface>,
);

import {
  Balance,
  PackList,
  PlanGrid,
  PlanStatus,
  type SignedInView,
  Surface,
  t,
  Usage,
} from '@extension-billing/client/react';
import { type ReactNode, useRef } from 'react';
import { DemoFeatures } from '../demo-features.tsx';
import { hasGoogle } from '../has-google.ts';
import { paint } from '../paint.tsx';
import './options.css';

function OptionsPage(): ReactNode {
  return (
    <Surface layout="full" title={t('extensionName')} google={hasGoogle}>
      {(view) => <SignedIn {...view} />}
    </Surface>
  );
}

function SignedIn({ snapshot, now }: SignedInView): ReactNode {
  const packs = useRef<HTMLElement>(null);
  const showPacks = (): void => {
    packs.current?.scrollIntoView({ block: 'center' });
    packs.current?.querySelector('button')?.focus({ preventScroll: true });
  };
  return (
    <div className="options">
      <div className="options-main">
        <section className="options-section">
          <PlanGrid snapshot={snapshot} />
        </section>
        <section className="options-section" ref={packs}>
          <h2>{t('packsTitle')}</h2>
          <div className="billing-card">
            <PackList />
          </div>
        </section>
        <section className="options-section">
          <h2>{t('usageTitle')}</h2>
          <div className="billing-card">
            <Usage snapshot={snapshot} now={now} />
          </div>
        </section>
      </div>
      <aside className="options-side" aria-label={t('accountTitle')}>
        <Balance snapshot={snapshot} now={now} onTopUp={showPacks}>
          <div className="billing-card">
            <PlanStatus snapshot={snapshot} now={now} />
          </div>
          <DemoFeatures snapshot={snapshot} />
        </Balance>
      </aside>
    </div>
  );
}

void paint(<OptionsPage />);

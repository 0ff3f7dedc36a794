import type { ReactNode } from 'react';
import { givenCatalog } from '../../given-catalog.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatCount } from '../format.ts';
import { t, tCount } from '../text/texts.ts';
import { deriveMeter, describeMeter, type MeterView } from './meter.ts';
import './meter.css';

interface BalanceMeterProps {
  readonly snapshot: EntitlementSnapshot;
  /** Milliseconds since the epoch, for "resets on". */
  readonly now: number;
  /** Where packs are one click away; shown when credits run low. */
  readonly onTopUp: () => void;
  /** The packs stand right below already. */
  readonly isWallRaised?: boolean;
}

/** How many credits are left. Nothing at all where credits are not in use. */
export function BalanceMeter({ snapshot, now, onTopUp, isWallRaised = false }: BalanceMeterProps): ReactNode {
  const meter = deriveMeter(snapshot, givenCatalog);
  if (meter === null) return null;
  const balance = formatCount(meter.balance);
  return (
    <section
      className="billing-meter"
      data-level={meter.level}
      data-testid="balance-meter"
      aria-label={t('meterLabel')}
    >
      <div className="billing-meter-head">
        <p className="billing-meter-words" data-testid="balance-value">
          <span className="billing-amount">{balance}</span>{' '}
          <span className="billing-meter-unit">{tCount(meter.balance, 'meterUnit')}</span>
        </p>
        {meter.level !== 'healthy' && !isWallRaised && givenCatalog.packs.length > 0 && (
          <button type="button" className="billing-meter-top-up" onClick={onTopUp}>
            {t('meterTopUp')}
          </button>
        )}
      </div>
      <MeterBar meter={meter} />
      <ul className="billing-meter-legend">
        {describeMeter(meter, snapshot, now).map(({ part, text }) => (
          <li key={part} data-part={part}>
            {text}
          </li>
        ))}
      </ul>
    </section>
  );
}

function MeterBar({ meter }: { readonly meter: MeterView }): ReactNode {
  const width = (credits: number): string => `${(credits / Math.max(meter.capacity, 1)) * 100}%`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a <meter> draws one tone, and this bar has two
    <div
      className="billing-meter-bar"
      role="meter"
      aria-label={t('meterLabel')}
      aria-valuemin={0}
      aria-valuemax={meter.capacity}
      aria-valuenow={meter.balance}
      aria-valuetext={tCount(meter.balance, 'meterAria', formatCount(meter.balance))}
    >
      <span
        data-part="allowance"
        data-empty={meter.allowance === 0 || undefined}
        style={{ inlineSize: width(meter.allowance) }}
      />
      <span data-part="packs" style={{ inlineSize: width(meter.packCredits) }} />
    </div>
  );
}

import type { StorageArea } from '../browser-storage.ts';
import { type EntitlementSnapshot, parseSnapshot } from '../snapshot/snapshot.ts';
import type { BrowserAlarms } from './background-browser.ts';

/**
 * Whether something was bought, renewed or cancelled between two snapshots of one user. A balance that only fell is a
 * spend, which can happen while a checkout is open.
 */
function purchaseArrived(before: EntitlementSnapshot | null, after: EntitlementSnapshot): boolean {
  if (before === null || before.uid !== after.uid) return false;
  return (
    before.plan !== after.plan ||
    before.status !== after.status ||
    before.paid !== after.paid ||
    before.cancelAtPeriodEnd !== after.cancelAtPeriodEnd ||
    before.currentPeriodEnd !== after.currentPeriodEnd ||
    (!after.credits?.expected && (after.credits?.balance ?? 0) > (before.credits?.balance ?? 0))
  );
}

export const PURCHASE_ALARM = 'billing-purchase';
const STORAGE_KEY = 'billingPurchaseWatch';
const LOOK_EVERY_MINUTES = 1;
const GIVE_UP_AFTER_MS = 30 * 60_000;

/**
 * Looks for a purchase once a minute while a hosted page is open. The worker dies after 30 s of an idle checkout, and
 * with it the listener; an alarm starts it again. Ends with the purchase, or after 30 minutes: no alarm is permanent.
 */
interface PurchaseWatch {
  start(): Promise<void>;
  /** An alarm rang, and the worker that it started has waited for the record. */
  look(): Promise<void>;
  /** The snapshot changed. */
  seen(after: EntitlementSnapshot): Promise<void>;
}

interface PurchaseWatchDeps {
  readonly area: StorageArea;
  readonly alarms: BrowserAlarms;
  readonly current: () => Promise<EntitlementSnapshot | null>;
  readonly now: () => number;
  /** It looks no more. */
  readonly onEnd: () => Promise<void>;
}

export function createPurchaseWatch({ area, alarms, current, now, onEnd }: PurchaseWatchDeps): PurchaseWatch {
  const load = async (): Promise<{ until: number; before: EntitlementSnapshot | null } | null> => {
    const value: unknown = (await area.get(STORAGE_KEY))[STORAGE_KEY];
    if (typeof value !== 'object' || value === null || !('until' in value) || !('before' in value))
      return null;
    return typeof value.until === 'number'
      ? { until: value.until, before: parseSnapshot(value.before) }
      : null;
  };
  const end = async (): Promise<void> => {
    await area.remove(STORAGE_KEY);
    await alarms.clear(PURCHASE_ALARM);
    await onEnd();
  };
  const seen = async (after: EntitlementSnapshot | null): Promise<void> => {
    const watch = await load();
    if (watch === null || after === null) return;
    const otherUser = watch.before !== null && watch.before.uid !== after.uid;
    if (otherUser || purchaseArrived(watch.before, after)) await end();
  };

  return {
    async start() {
      await area.set({ [STORAGE_KEY]: { until: now() + GIVE_UP_AFTER_MS, before: await current() } });
      await alarms.create(PURCHASE_ALARM, {
        delayInMinutes: LOOK_EVERY_MINUTES,
        periodInMinutes: LOOK_EVERY_MINUTES,
      });
    },
    async look() {
      const watch = await load();
      // The session storage is gone after a restart of the browser, but the alarm is not.
      if (watch === null || now() >= watch.until) return end();
      await seen(await current());
    },
    seen,
  };
}

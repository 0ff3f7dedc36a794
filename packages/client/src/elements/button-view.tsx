import { type ReactNode, useState } from 'react';
import { oneAtATime } from '../promises.ts';
import { Button } from '../ui/controls.tsx';
import type { FeatureAccess } from '../ui/features/feature-access.ts';
import { FeatureButton, type FeatureControl } from '../ui/features/feature-button.tsx';
import type { BillingElement } from './billing-element.ts';
import { useElementsPage } from './page-context.ts';

interface ButtonViewProps {
  readonly element: BillingElement;
}

export function ButtonView({ element }: ButtonViewProps): ReactNode {
  const { snapshot } = useElementsPage();
  const [alone] = useState(oneAtATime);
  const feature = element.getAttribute('feature') ?? '';
  const label = <slot>{feature}</slot>;
  if (snapshot === null) {
    return (
      <Button wide disabled>
        {label}
      </Button>
    );
  }
  // A press while one is in progress is no press, so it isn't refused either.
  const onPress = async (control: FeatureControl): Promise<void> => {
    await alone(() => pay(element, feature, control));
  };
  return <FeatureButton feature={feature} label={label} snapshot={snapshot} onPress={onPress} />;
}

const COSTS_NOTHING: ReadonlySet<FeatureAccess['kind']> = new Set(['open', 'included', 'free']);

/** Pays for one run, around the element's own work where it has some, and says to the page what came of it. */
export async function pay(
  element: Pick<BillingElement, 'held' | 'say'>,
  feature: string,
  control: Pick<FeatureControl, 'access' | 'run' | 'runWork'>,
): Promise<void> {
  const { access, run, runWork } = control;
  const work = element.held.get('work');
  if (typeof work !== 'function') {
    if (await run()) element.say('billing-paid', { feature, charged: !COSTS_NOTHING.has(access.kind) });
    else element.say('billing-refused', { feature });
    return;
  }
  try {
    const done = await runWork(async (): Promise<unknown> => work.call(element));
    if (done?.ok) {
      const charged = done.charged && done.settled !== null;
      element.say('billing-paid', { feature, charged, value: done.value });
    } else element.say('billing-refused', { feature });
  } catch (error) {
    element.say('billing-failed', { feature, error });
    reportError(error); // as an error that nobody catches would be seen
  }
}

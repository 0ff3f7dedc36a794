import type { FirstFrameProps, FirstView } from '@extension-billing/client/first';
import { demoText } from './demo-text.ts';
import { FeaturesToCome } from './features-to-come.tsx';

/** The popup and the side panel, as their first frame has them. */
export const firstCompact = (): FirstFrameProps => ({
  layout: 'compact',
  title: demoText('extensionName'),
  page: () => import('./compact-page.tsx'),
  children: ({ snapshot, meter, plan }: FirstView) => (
    <>
      {meter}
      {/* Without credits they stand below the plan, where what comes moves nothing. */}
      {snapshot.credits !== null && <FeaturesToCome />}
      {plan}
    </>
  ),
});

/** The options page: what is sold stands beside this, and comes with the page. */
export const firstFull = (): FirstFrameProps => ({
  layout: 'full',
  title: demoText('extensionName'),
  page: () => import('./options/options-page.tsx'),
});

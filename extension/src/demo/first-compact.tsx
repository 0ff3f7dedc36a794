import type { FirstFrameProps, FirstView } from '@extension-billing/client/first';
import { demoText } from './demo-text.ts';
import { FeaturesToCome } from './features-to-come.tsx';

/** The popup and the side panel, as their first frame has them. */
export const firstCompact = (): FirstFrameProps => ({
  layout: 'compact',
  title: demoText('extensionName'),
  page: () => import('./compact-page.tsx'),
  children: ({ snapshot, meter, plan }: FirstView) =>
    snapshot.credits === null ? (
      <>
        {plan}
        <FeaturesToCome />
      </>
    ) : (
      <>
        {meter}
        <FeaturesToCome />
        {plan}
      </>
    ),
});

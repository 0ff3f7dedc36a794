import { demoText } from '../demo-text.ts';
import { FeaturesToCome } from '../features-to-come.tsx';
import { paint } from '../paint.tsx';
import './options.css';

void paint({
  layout: 'full',
  title: demoText('extensionName'),
  page: () => import('./options-page.tsx'),
  children: ({ meter, plan }) => (
    <>
      {meter}
      {plan}
      <FeaturesToCome />
    </>
  ),
});

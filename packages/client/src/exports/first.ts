'use client';

/** For the first frame of a page with React: what is known last, by a part of the code that the page itself takes. */
export { providePricing } from '../given-catalog.ts';
export { FeatureToCome } from '../ui/features/feature-to-come.tsx';
export { FirstFrame, type FirstFrameProps } from '../ui/first/first-frame.tsx';
export { firstFrameReady } from '../ui/first/first-frame-ready.ts';
export type { FirstLookProps, FirstView } from '../ui/first/first-look.tsx';
export { textLocale } from '../ui/text/texts.ts';

/** For pages without a framework: importing this defines the custom elements. It stands alone, without a bundler too. */
import { startElements } from '../elements/start.tsx';

export { CatalogError, defineCatalog } from '@extension-billing/contract/define-catalog';
export type { FeatureNames } from '../elements/definitions.ts';
export type * from '../elements/types.ts';
export { providePricing } from '../given-catalog.ts';
export { BillingMessageError, send, withCredits } from '../send.ts';
export { accessView } from '../snapshot/access.ts';
export { snapshotStore } from '../snapshot/read.ts';
export { creditsView, entitlementView } from '../snapshot/views.ts';
export { provideTexts, type TextOptions } from '../ui/text/texts.ts';

startElements();

import type { Catalog } from '@extension-billing/contract/catalog';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import { type PreviewState, previewStates } from './states.ts';

const states: Readonly<Record<string, PreviewState | undefined>> = previewStates(Date.now());
const asked = new URL(location.href).searchParams.get('state') ?? '';

/** Stands in the preview where the demo has its catalogue: each state may be of a build with another one. */
const catalog: Catalog = states[asked]?.catalog ?? testCatalog;
export default catalog;

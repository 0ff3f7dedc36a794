import { type Pricing, pricing as shipped } from '../../../contract/src/pricing.ts';
import { type PreviewState, previewStates } from './states.ts';

const states: Readonly<Record<string, PreviewState | undefined>> = previewStates(Date.now());
const asked = new URL(location.href).searchParams.get('state') ?? '';

/** Stands in the preview where the demo has its pricing file: each state may be of a build with another one. */
export const pricing: Pricing = states[asked]?.pricing ?? shipped;

import { version } from 'react';

/**
 * `inert` as each renderer takes it. React 18 doesn't know the property and writes only strings; React 19 warns about a
 * string; Preact, which calls itself 18, sets the DOM property to whatever it is given.
 */
const INERT = version.startsWith('18.') ? ('true' as unknown as boolean) : true;

export const inertWhen = (isInert: boolean): { readonly inert?: boolean } =>
  isInert ? { inert: INERT } : {};

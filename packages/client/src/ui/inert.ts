/**
 * `inert`, as every renderer takes it: React 18 knows no such property and writes only texts, React 19 refuses an empty
 * text, and preact sets the element's own property to whatever it is given.
 */
export const inertWhen = (isInert: boolean): { readonly inert?: boolean } =>
  isInert ? { inert: 'true' as unknown as boolean } : {};

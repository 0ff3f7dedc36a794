/** In the folder of a built extension: the catalogue that is in its bundle, for `billing doctor` to compare. */
export const BUILT_CATALOG = 'billing-catalog.json';

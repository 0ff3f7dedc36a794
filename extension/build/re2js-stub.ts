/**
 * Stands in for `re2js` in the bundle: 45 kB gzipped that Firestore only uses to evaluate regular expressions in
 * offline pipeline queries, which this extension never makes. Says so, should that change.
 */
export const RE2JS = {
  compile(): never {
    throw new Error(
      're2js is left out of this bundle: remove its alias in vite.config.ts to use regular expressions.',
    );
  },
};

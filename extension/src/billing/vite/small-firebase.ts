import type { Plugin } from 'vite';

/**
 * Stands in for `re2js`: 45 kB gzipped that Firestore uses to evaluate regular expressions in offline pipeline queries.
 */
const RE2JS = `
  export const RE2JS = { compile() {
    throw new Error('re2js is left out of this bundle. Build without smallFirebase() to use regular expressions.');
  } };`;

/**
 * Stands in for Firestore's bloom filters (4 kB gzipped), with which a listener on a large query avoids asking for all
 * of it again after a gap. When a filter cannot be made, the SDK says so in its log and asks again
 * (`applyBloomFilter`, firebase 12.19.0), which for a listener on one document is what it should do anyway.
 */
const BLOOM_FILTERS = `
  const leftOut = (what) => { throw new Error(what + ' are left out of this bundle.'); };
  export class Integer {
    static fromNumber() { leftOut('Bloom filters'); }
    static fromString() { leftOut('Numeric document ids'); }
  }
  export class Md5 {}`;

const STAND_INS: Readonly<Record<string, string>> = {
  re2js: RE2JS,
  '@firebase/webchannel-wrapper/bloom-blob': BLOOM_FILTERS,
};
const VIRTUAL = '\0small-firebase:';

/**
 * The one door to the evaluation of pipeline queries on the client (5 kB gzipped). Behind it the bundler finds nothing
 * that is still used, and drops it.
 */
const PIPELINES = /function __PRIVATE_toEvaluable\((\w+)\)\s*\{/;
const NO_PIPELINES = `function __PRIVATE_toEvaluable() {
  throw new Error('Pipelines are left out of this bundle. Build without smallFirebase() to use them.');
}
function __PRIVATE_unusedToEvaluable($1) {`;

/**
 * Leaves out of a build what a listener on single documents never runs: 50 of Firestore's 155 kB gzipped. What is left
 * out throws where it is called after all. Only for a bundle that makes no pipeline or regular expression queries.
 */
export function smallFirebase(): Plugin {
  return {
    name: 'extension-billing:small-firebase',
    apply: 'build',
    enforce: 'pre',
    resolveId: (id) => (Object.hasOwn(STAND_INS, id) ? `${VIRTUAL}${id}` : undefined),
    load: (id) => (id.startsWith(VIRTUAL) ? STAND_INS[id.slice(VIRTUAL.length)] : undefined),
    transform(code, id) {
      if (!/@firebase[\\/]firestore[\\/]/.test(id) || !PIPELINES.test(code)) return undefined;
      return { code: code.replace(PIPELINES, NO_PIPELINES), map: null };
    },
  };
}

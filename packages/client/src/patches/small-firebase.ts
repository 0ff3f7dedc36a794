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
 * Where the SDK asks whether a query is a pipeline, which a listener on a document never is, and what it would do then.
 * Without them the bundler drops the classes of pipeline expressions and stages (5 kB gzipped).
 */
const IS_PIPELINE =
  /(?<!function )__PRIVATE_isPipeline\([\w.[\]]+\)|[\w.]+ instanceof (?:CorePipeline|__PRIVATE_RealtimePipeline)\b/g;
const IS_PIPELINE_TARGET = /function __PRIVATE_targetIsPipelineTarget\(\w+\) \{/;
const OF_PIPELINES =
  /\b(?:getDocumentsMatchingPipeline|getOverlaysForPipeline|function getPipeline\w+|function __PRIVATE_canonify(?:Pipeline|Stage|Expr))\([\w, ]*\) \{/g;

/**
 * Leaves out of a build what a listener on single documents never runs: 55 of Firestore's 155 kB gzipped. What is left
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
      const small = code
        .replace(PIPELINES, NO_PIPELINES)
        .replace(IS_PIPELINE, 'false')
        .replace(IS_PIPELINE_TARGET, '$& return false;')
        .replace(OF_PIPELINES, "$& throw new Error('Pipelines are left out of this bundle.');");
      return { code: small, map: null };
    },
  };
}

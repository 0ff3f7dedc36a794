import type { Plugin } from 'vite';

/**
 * Stands in for `re2js`: 45 kB gzipped that Firestore uses to evaluate regular expressions in offline pipeline queries.
 */
const RE2JS = `
  export const RE2JS = { compile() {
    throw new Error('re2js is left out of this bundle.');
  } };`;

/**
 * Stands in for Firestore's bloom filters (4 kB gzipped), with which a listener on a large query avoids asking for all
 * of it again after a gap. When a filter cannot be made, the SDK says so in its log and asks again
 * (`applyBloomFilter`, firebase 13.1.0), which for a listener on one document is what it should do anyway.
 */
const BLOOM_FILTERS = `
  const leftOut = (what) => { throw new Error(what + ' are left out of this bundle.'); };
  export class Integer {
    static fromNumber() { leftOut('Bloom filters'); }
    static fromString() { leftOut('Numeric document ids'); }
  }
  export class Md5 {}`;

/** What stands in for whole modules that Firestore imports. */
export const STAND_INS: Readonly<Record<string, string>> = {
  re2js: RE2JS,
  '@firebase/webchannel-wrapper/bloom-blob': BLOOM_FILTERS,
};
const VIRTUAL = '\0small-firebase:';

/** One part of Firestore's own code that is left out. It leaves a version that does not have the part as it is. */
interface Cut {
  readonly what: string;
  apply(code: string): string;
}

export const CUTS: readonly Cut[] = [
  {
    // The one door to it (5 kB gzipped). Behind it the bundler finds nothing that is still used, and drops it.
    what: 'the evaluation of pipeline queries on the client',
    apply: (code) =>
      code.replace(
        /function __PRIVATE_toEvaluable\((\w+)\)\s*\{/,
        `function __PRIVATE_toEvaluable() {
          throw new Error('Pipelines are left out of this bundle.');
        }
        function __PRIVATE_unusedToEvaluable($1) {`,
      ),
  },
  {
    // Without these questions the bundler drops the classes of pipeline expressions and stages (5 kB gzipped).
    what: 'the question whether a query is a pipeline, which a listener on a document never is',
    apply: (code) =>
      code
        .replace(
          /(?<!function )__PRIVATE_isPipeline\([\w.[\]]+\)|[\w.]+ instanceof (?:CorePipeline|__PRIVATE_RealtimePipeline)\b/g,
          'false',
        )
        .replace(/function __PRIVATE_targetIsPipelineTarget\(\w+\) \{/, '$& return false;'),
  },
  {
    what: 'what is done with a pipeline',
    apply: (code) =>
      code.replace(
        /\b(?:getDocumentsMatchingPipeline|getOverlaysForPipeline|function getPipeline\w+|function __PRIVATE_canonify(?:Pipeline|Stage|Expr))\([\w, ]*\) \{/g,
        "$& throw new Error('Pipelines are left out of this bundle.');",
      ),
  },
  {
    // Two classes and their tables of powers (6 kB gzipped), new in firebase 13.1.
    what: 'the arithmetic of 128-bit decimals, which no document here holds',
    apply: (code) =>
      code.replace(
        /class __PRIVATE_QuadrupleBuilder \{[\s\S]*?\nclass __PRIVATE_Quadruple \{[\s\S]*?(?=\/\*\*\n \* @license)/,
        "class __PRIVATE_Quadruple { static fromString() { throw new Error('Decimals are left out of this bundle.'); } }",
      ),
  },
  {
    // Nothing else keeps the class in the bundle (1 kB gzipped).
    what: 'the one writer of index entries, which only an offline database on disk has',
    apply: (code) =>
      code.replace(
        /__PRIVATE_FirestoreIndexValueWriter\.\w+ = new __PRIVATE_FirestoreIndexValueWriter\b/,
        '0',
      ),
  },
  {
    // The one door to what turns a query of the wire into one of the SDK's (1 kB gzipped).
    what: 'the named queries of data bundles, which are loaded by hand',
    apply: (code) =>
      code.replace(
        /function __PRIVATE_fromBundledQuery\((\w+)\)\s*\{/,
        `function __PRIVATE_fromBundledQuery() {
          throw new Error('Data bundles are left out of this bundle.');
        }
        function __PRIVATE_unusedFromBundledQuery($1) {`,
      ),
  },
  {
    // Nothing else keeps this stage of pipelines and what writes its fields (2 kB gzipped).
    what: 'a static property of one stage of pipelines',
    apply: (code) => code.replace(/^\w+\.\w+ = "full_replace"/m, '0'),
  },
];

/** The file of Firestore that holds all of the above. */
export const HOLDS_PIPELINES = /function __PRIVATE_toEvaluable\(/;

/** A static property of a class of Auth's that is set after the class, which keeps it in a bundle that never uses it. */
const SET_AFTER = /^(\w+)\.([A-Z_]+) = ("[^"]*")[^\n]*;$/gm;

/**
 * Sets such properties within their classes, where a bundler sees that nothing else happens: of the ways to sign in,
 * those that nobody uses fall out (1 kB gzipped), and one that somebody uses stays as it is.
 */
export function staticsWithin(code: string): string {
  const within = (text: string, [, name = '', property = '', value = '']: readonly string[]): string =>
    text.replace(new RegExp(`^class ${name}\\b[^{]*\\{`, 'm'), `$& static ${property} = ${value};`);
  return [...code.matchAll(SET_AFTER)].reduce(within, code).replace(SET_AFTER, '');
}

/**
 * Leaves out the rules for passwords that a project may ask for (0.5 kB gzipped): only `validatePassword` reads them, which
 * nothing here calls, and the service refuses a bad password by itself.
 */
export function withoutPasswordPolicy(code: string): string {
  return code.replace(
    /async _updatePasswordPolicy\(\) \{[\s\S]*?\n {4}\}/,
    `async _updatePasswordPolicy() {
        throw new Error('Password policies are left out of this bundle.');
    }`,
  );
}

/** The file of Auth that holds them. */
export const HOLDS_PROVIDERS = /^class FacebookAuthProvider\b/m;

/**
 * Leaves out of a build what a listener on single documents never runs. What is left out throws if it is called after all.
 * Only for the package's own builds: an extension's firebase may search and write.
 */
export function smallFirebase(): Plugin {
  return {
    name: 'extension-billing:small-firebase',
    apply: 'build',
    enforce: 'pre',
    resolveId: (id) => (Object.hasOwn(STAND_INS, id) ? `${VIRTUAL}${id}` : undefined),
    load: (id) => (id.startsWith(VIRTUAL) ? STAND_INS[id.slice(VIRTUAL.length)] : undefined),
    transform(code, id) {
      if (/@firebase[\\/]firestore[\\/]/.test(id) && HOLDS_PIPELINES.test(code))
        return { code: CUTS.reduce((text, { apply }) => apply(text), code), map: null };
      if (/@firebase[\\/]auth[\\/]/.test(id) && HOLDS_PROVIDERS.test(code))
        return { code: withoutPasswordPolicy(staticsWithin(code)), map: null };
      return undefined;
    },
  };
}

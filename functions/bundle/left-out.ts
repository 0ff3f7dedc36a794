import type { Plugin } from 'esbuild';

interface LeftOut {
  /** The file that asks for it. */
  readonly importer: RegExp;
  readonly path: RegExp;
  readonly because: string;
}

/** What dependencies load at their start and this service never uses; measured in decisions/0045. */
const LEFT_OUT: readonly LeftOut[] = [
  {
    importer: /firebase-functions\//,
    path: /^firebase-admin\/(auth|app-check)$/,
    because: 'callable functions check tokens with it; this service has onRequest and onSchedule only',
  },
  {
    importer: /firestore-api\/build\/src\/index\.js$/,
    path: /\/protos\/protos$/,
    because: 'a megabyte of message classes for callers of the bare API; the client encodes by protos.json',
  },
  {
    importer: /firestore-api\/build\/src\/v1\/index\.js$/,
    path: /\/firestore_admin_client$/,
    because: 'makes databases and indexes',
  },
  {
    importer: /google-gax\/build\/src\/(index|fallback)\.js$/,
    path: /\/protos\/(iam_service|locations|operations)$/,
    because: 'passed on to clients of other products',
  },
  {
    importer: /google-gax\/build\/src\/operationsClient\.js$/,
    path: /\/protos\/operations$/,
    because: 'long-running operations belong to the admin client',
  },
];

/**
 * Puts an empty module in the place of each part that is left out. Whatever is called or constructed of it throws
 * with the part's name, so that a dependency which comes to need one fails loudly (functions/test/bundle.test.ts).
 */
export const leaveOut: Plugin = {
  name: 'leave-out',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ importer, path }) =>
      LEFT_OUT.some((part) => part.importer.test(importer) && part.path.test(path))
        ? { path, namespace: 'left-out' }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({ contents: emptyModule(path) }));
  },
};

function emptyModule(path: string): string {
  return `
    module.exports = new Proxy({}, {
      get(_, name) {
        if (name === '__esModule') return true;
        if (name === 'default' || typeof name === 'symbol') return undefined;
        return function () { throw new Error(name + ' of ${path} is left out of the bundle (bundle/left-out.ts)'); };
      },
    });`;
}

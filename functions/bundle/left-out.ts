import type { Plugin } from 'esbuild';

interface LeftOut {
  /** The file that asks for it. */
  readonly importer: RegExp;
  readonly path: RegExp;
  readonly because: string;
  /** What is in its place where something of it is touched as it loads; else what is touched throws. */
  readonly instead?: string;
}

/** What dependencies load at their start and this service never uses; measured in decisions/performance.md. */
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
  {
    importer: /google-gax\/build\/src\/longRunningCalls\/longrunning\.js$/,
    path: /\/protos\/operations$/,
    because: 'as above',
  },
  {
    importer: /google-gax\/build\/src\/(index|fallback)\.js$/,
    path: /^\.\/iamService$/,
    because: 'permissions of other products',
  },
  {
    importer: /google-gax\/build\/src\/(index|fallback)\.js$/,
    path: /^\.\/locationService$/,
    because: 'each Firestore client makes one, with messages of its own, to list regions',
    instead: 'exports.LocationsClient = class { close() { return Promise.resolve(); } };',
  },
  {
    importer: /firestore\/build\/protos\/firestore_v1_proto_api\.js$/,
    path: /^@google-cloud\/firestore-api\/build\/protos\/protos$/,
    because: 'a megabyte of message classes, of which pipelines use one',
    instead: 'exports.google = { firestore: { v1: {} } };',
  },
  {
    importer: /@grpc\/proto-loader\/build\/src\/index\.js$/,
    path: /^protobufjs\/ext\/descriptor$/,
    because: 'describes each message once more, for servers that answer what they serve',
    instead: `
      const { ReflectionObject } = require('protobufjs');
      const described = { file: [], $type: { toObject: () => ({}) } };
      ReflectionObject.prototype.toDescriptor = () => described;`,
  },
  {
    importer: /jsonwebtoken\/lib\//,
    path: /^semver$/,
    because: 'asks whether Node is as new as 16.9; the bundle is for 24 (build.ts)',
    instead: 'exports.satisfies = () => true;',
  },
  {
    importer: /firebase-admin\/lib\/utils\/jwt\.js$/,
    path: /^jwks-rsa$/,
    because: 'keys of App Check; those of ID tokens are certificates',
  },
  {
    importer: /firebase-admin\/lib\/utils\/api-request\.js$/,
    path: /^@fastify\/busboy$/,
    because: 'batches of messages to phones',
  },
  {
    importer: /express\/lib\/(express|response)\.js$/,
    path: /^(body-parser|serve-static|send|cookie-signature|content-disposition)$/,
    because: 'bodies are read to limits of our own (http/body.ts), and no file and no cookie is sent',
  },
  {
    importer: /(express\/lib\/(response|utils)|accepts\/index|type-is\/index)\.js$/,
    path: /^mime-types$/,
    because:
      'every answer names its type itself (http/answer.ts), and none is chosen by what a caller accepts',
  },
  {
    importer: /express\/lib\/utils\.js$/,
    path: /^qs$/,
    because: 'nested queries; this app has the plain ones of Node',
  },
];

/**
 * Puts an empty module in the place of each part that is left out. Whatever is called or constructed of it throws
 * with the part's name, so that a dependency which comes to need one fails loudly (functions/test/bundle.test.ts).
 */
export const leaveOut: Plugin = {
  name: 'leave-out',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ importer, path, resolveDir }) => {
      const part = LEFT_OUT.find((left) => left.importer.test(importer) && left.path.test(path));
      if (part === undefined) return undefined;
      const { instead = emptyModule(path) } = part;
      // What is in its place may ask for what lies beside it.
      return { path, namespace: 'left-out', pluginData: { instead, resolveDir } };
    });
    build.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ pluginData: { instead, resolveDir } }) => ({
      contents: instead,
      resolveDir,
    }));
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

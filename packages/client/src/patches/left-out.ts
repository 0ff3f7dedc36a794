import type { LeftOut } from './leave-out.ts';

const RESOLVED = 'return PersistencePromise.resolve()';

/** Of @firebase/firestore: all that happens here is a listener on a document or two, and nothing is ever written. */
export const OF_FIRESTORE: readonly LeftOut[] = [
  {
    why: 'there are no local writes, so none is queued, overlaid, or made good again',
    names: [
      '__PRIVATE_MemoryMutationQueue.*',
      '__PRIVATE_MemoryDocumentOverlayCache.*',
      'LocalDocumentsView.*',
    ],
  },
  {
    why: 'no write is queued',
    names: ['__PRIVATE_MemoryMutationQueue.getAllMutationBatches'],
    instead: 'return PersistencePromise.resolve([])',
  },
  {
    why: 'no write is queued',
    names: ['__PRIVATE_MemoryMutationQueue.containsKey'],
    instead: 'return PersistencePromise.resolve(false)',
  },
  {
    why: 'without local writes a document is what the server said',
    names: ['LocalDocumentsView.getLocalViewOfDocuments'],
    instead: 'return PersistencePromise.resolve(arguments[1])',
  },
  {
    why: 'without local writes a document is what the server said',
    names: ['LocalDocumentsView.getDocuments'],
    instead: 'return this.remoteDocumentCache.getEntries(arguments[0], arguments[1])',
  },
  {
    why: 'a listener on a document asks for that document, and for no other',
    names: ['LocalDocumentsView.getDocumentsMatchingQuery'],
    instead: `
      const [transaction, { path }] = arguments;
      return this.remoteDocumentCache.getEntry(transaction, new DocumentKey(path)).next((found) => {
        const none = documentMap();
        return found.isFoundDocument() ? none.insert(found.key, found) : none;
      });`,
  },
  { why: 'documents are not searched by an index', names: ['__PRIVATE_QueryEngine.*'] },
  {
    why: 'documents are not searched by an index',
    names: ['__PRIVATE_QueryEngine.initialize'],
    instead: 'this.documents = arguments[0];',
  },
  {
    why: 'documents are not searched by an index',
    names: ['__PRIVATE_QueryEngine.getDocumentsMatchingQuery'],
    instead: 'return this.documents.getDocumentsMatchingQuery(arguments[0], arguments[1])',
  },
  {
    why: 'collections are not searched',
    names: ['__PRIVATE_MemoryIndexManager.*', '__PRIVATE_MemoryCollectionParentIndex.*'],
  },
  {
    why: 'collections are not searched',
    names: ['__PRIVATE_MemoryIndexManager.addToCollectionParentIndex'],
    instead: RESOLVED,
  },
  {
    why: 'collections are not searched',
    names: [
      '__PRIVATE_MemoryRemoteDocumentCacheImpl.getDocumentsMatchingQuery',
      '__PRIVATE_MemoryRemoteDocumentCacheImpl.getAllFromCollectionGroup',
      '__PRIVATE_MemoryRemoteDocumentCacheImpl.getAllEntries',
    ],
  },
  {
    why: 'the query of a document is its path: no filter, order or bound',
    names: ['__PRIVATE_queryMatches'],
    instead: 'return arguments[1].isFoundDocument() && arguments[0].path.isEqual(arguments[1].key.path)',
  },
  {
    why: 'a document is in no order',
    names: ['__PRIVATE_newQueryComparator'],
    instead: 'return () => 0',
  },
  { why: 'a document is in no order', names: ['__PRIVATE_queryNormalizedOrderBy'], instead: 'return []' },
  {
    why: 'the query of a document is its path',
    names: ['__PRIVATE_canonifyTarget', '__PRIVATE_stringifyQuery'],
    instead: 'return arguments[0].path.canonicalString()',
  },
  {
    why: 'the query of a document is its path',
    names: ['__PRIVATE_targetEquals'],
    instead: 'return arguments[0].path.isEqual(arguments[1].path)',
  },
  { why: 'a document is asked for by its name', names: ['__PRIVATE_toQueryTarget'] },
  { why: 'no query is answered', names: ['QuerySnapshot.*'] },
  { why: 'bundles of documents are loaded by hand', names: ['__PRIVATE_MemoryBundleCache.*'] },
  {
    why: 'two documents need no collector of what was used longest ago: the other one drops what nobody listens to',
    names: ['__PRIVATE_ensureOfflineComponents'],
    instead: `
      const [client] = arguments;
      if (!client._offlineComponents) {
        await __PRIVATE_setOfflineComponentProvider(client, new __PRIVATE_MemoryOfflineComponentProvider());
      }
      return client._offlineComponents;`,
  },
  {
    why: 'only that collector asks',
    names: [
      '__PRIVATE_MemoryTargetCache.forEachTarget',
      '__PRIVATE_MemoryTargetCache.removeTargets',
      '__PRIVATE_MemoryTargetCache.getTargetCount',
    ],
  },
];

/** Of @firebase/auth: accounts by password, Google, mail link and as a guest, in a worker that is the only user of its store. */
export const OF_AUTH: readonly LeftOut[] = [
  {
    why: 'reCAPTCHA is code from elsewhere, which an extension may not load: what it would ask for is refused as it is',
    names: ['handleRecaptchaFlow'],
    instead: 'return arguments[3](arguments[0], arguments[1])',
  },
  {
    why: 'pages and worker tell each other of sign-ins through billing’s messages',
    names: [
      'IndexedDBLocalPersistence.initializeServiceWorkerMessaging',
      'IndexedDBLocalPersistence.notifyServiceWorker',
    ],
    instead: '',
  },
  {
    why: 'the store has no other writer to be polled for, and listeners are guarded-persistence.ts’s',
    names: [
      ...[
        'initializeReceiver',
        'initializeSender',
        '_poll',
        'notifyListeners',
        'startPolling',
        '_addListener',
      ],
      ...['_removeListener', 'registerLifecycleListeners', 'unregisterLifecycleListeners'],
    ].map((method) => `IndexedDBLocalPersistence.${method}`),
  },
  { why: 'the warning of an emulator is for pages, and switched off', names: ['emitEmulatorWarning'] },
];

/** Of @firebase/app. */
export const OF_APP: readonly LeftOut[] = [
  {
    why: 'how often an SDK is used is told to Google in a header, and kept in a database of its own until then',
    names: ['HeartbeatServiceImpl.constructor', 'HeartbeatServiceImpl.triggerHeartbeat'],
    instead: '',
  },
  {
    why: 'how often an SDK is used is told to Google in a header',
    names: ['HeartbeatServiceImpl.getHeartbeatsHeader'],
    instead: "return ''",
  },
];

/** Of @firebase/util. */
export const OF_UTIL: readonly LeftOut[] = [
  { why: 'an emulator is asked as the user who is signed in', names: ['createMockUserToken'] },
];

// node tools/bench/distance.ts <milliseconds>: a proxy to the Firestore emulator that delays each call.

import { startFirestoreProxy } from '../../functions/test/fixtures/firestore-proxy.ts';

const proxy = await startFirestoreProxy(process.env.FIRESTORE_EMULATOR_HOST ?? '');
proxy.delayMs = Number(process.argv[2]);
console.log(proxy.address);

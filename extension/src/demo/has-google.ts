import type { BuildAddresses } from '../../build/addresses.ts';

/** Put here by vite.config.ts, from the build's VITE_ variables. */
declare const __BUILD_ADDRESSES__: BuildAddresses;

/** Whether this build has Google sign-in set up. */
export const hasGoogle = __BUILD_ADDRESSES__.googleClientId !== '';

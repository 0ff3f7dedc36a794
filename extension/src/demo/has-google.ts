import type { BuildAddresses } from '../../build/addresses.ts';

/** Put here by vite.config.ts, from the build's VITE_ variables. */
declare const __BUILD_ADDRESSES__: BuildAddresses;

const { googleClientId, signInLinkUrl } = __BUILD_ADDRESSES__;

/** Whether this build has Google sign-in set up. */
export const hasGoogle = googleClientId !== '';
/** Whether this build mails sign-in links. */
export const hasMailLink = signInLinkUrl !== '';

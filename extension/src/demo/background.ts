import { createBillingBackground, forgetDismissalWhenRisen } from '@extension-billing/client/background';
import type { BuildAddresses } from '../../build/addresses.ts';

/** Put here by vite.config.ts, from the build's VITE_ variables. */
declare const __BUILD_ADDRESSES__: BuildAddresses;
const addresses = __BUILD_ADDRESSES__;

createBillingBackground({
  apiBaseUrl: addresses.apiBaseUrl,
  firebase: { projectId: addresses.firebaseProjectId, apiKey: addresses.firebaseApiKey },
  returnOrigin: addresses.returnOrigin,
  // This extension has no messages of its own.
  unknownMessages: 'refuse',
  ...(addresses.authEmulatorUrl === '' ? {} : { authEmulatorUrl: addresses.authEmulatorUrl }),
  ...(addresses.firestoreEmulator === ''
    ? {}
    : { firestoreEmulator: hostAndPort(addresses.firestoreEmulator) }),
  ...(addresses.googleClientId === '' ? {} : { googleClientId: addresses.googleClientId }),
  ...(addresses.signInLinkUrl === '' ? {} : { signInLinkUrl: addresses.signInLinkUrl }),
  ...(addresses.googleAuthorizeUrl === '' ? {} : { googleAuthorizeUrl: addresses.googleAuthorizeUrl }),
});

forgetDismissalWhenRisen(chrome.storage);

function hostAndPort(address: string): { host: string; port: number } {
  const { hostname, port } = new URL(`http://${address}`);
  return { host: hostname, port: Number(port) };
}

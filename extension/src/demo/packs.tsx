/** Read when somebody wants to top up: a popup has to open at once. */
export { PackList as default } from '@extension-billing/client/react';

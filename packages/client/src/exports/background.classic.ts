/** For a worker that is no module: `importScripts('background.classic.js')`, and then `extensionBilling.createBillingBackground`. */
import * as background from './background.ts';

type BackgroundDoor = typeof background;

declare global {
  /** What the classic scripts of this package that were loaded here give, all in one object. */
  interface ExtensionBilling extends BackgroundDoor {}
  var extensionBilling: ExtensionBilling;
}

globalThis.extensionBilling = { ...globalThis.extensionBilling, ...background };

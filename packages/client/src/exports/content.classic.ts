/** For content scripts, which Chrome runs without a module loader: `extensionBilling.snapshotStore()`, once this one ran. */
import * as content from './content.ts';

type ContentDoor = typeof content;

declare global {
  /** What the classic scripts of this package that were loaded here give, all in one object. */
  interface ExtensionBilling extends ContentDoor {}
  var extensionBilling: ExtensionBilling;
}

globalThis.extensionBilling = { ...globalThis.extensionBilling, ...content };

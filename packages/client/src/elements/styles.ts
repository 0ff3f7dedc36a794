import account from '../ui/account/account.css?inline';
import manageAccount from '../ui/account/manage-account.css?inline';
import signIn from '../ui/account/sign-in.css?inline';
import button from '../ui/button.css?inline';
import controlTokens from '../ui/control-tokens.css?inline';
import controls from '../ui/controls.css?inline';
import features from '../ui/features/features.css?inline';
import meter from '../ui/meter/meter.css?inline';
import meterInUse from '../ui/meter/meter-in-use.css?inline';
import toasts from '../ui/notifications/toasts.css?inline';
import panel from '../ui/panel/panel.css?inline';
import offers from '../ui/plans/offers.css?inline';
import plans from '../ui/plans/plans.css?inline';
import status from '../ui/status/status.css?inline';
import statusTitle from '../ui/status/status-title.css?inline';
import loading from '../ui/surface/loading.css?inline';
import page from '../ui/surface/page.css?inline';
import surface from '../ui/surface/surface.css?inline';
import tokens from '../ui/tokens.css?inline';
import usage from '../ui/usage/usage.css?inline';
import wall from '../ui/wall/wall.css?inline';
import elements from './elements.css?inline';
import { themable } from './themable.ts';

/** In the order in which the components' own imports bring them: later rules win over earlier ones. */
const SHEETS = [
  tokens,
  controlTokens,
  page,
  surface,
  button,
  controls,
  account,
  signIn,
  manageAccount,
  toasts,
  offers,
  loading,
  meter,
  meterInUse,
  wall,
  features,
  statusTitle,
  status,
  plans,
  usage,
  panel,
  elements,
];

const shared = new WeakMap<Document, CSSStyleSheet>();

/**
 * The look of every element: one sheet for all shadow roots of a document, since browsers refuse a sheet of another
 * one. A document without a window shows nothing, and has none.
 */
export function elementStyles(document: Document): readonly CSSStyleSheet[] {
  const Sheet = document.defaultView?.CSSStyleSheet;
  if (Sheet === undefined) return [];
  const sheet = shared.get(document) ?? new Sheet();
  if (!shared.has(document)) sheet.replaceSync(SHEETS.map(themable).join('\n'));
  shared.set(document, sheet);
  return [sheet];
}

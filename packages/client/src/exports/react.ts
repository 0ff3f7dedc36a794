'use client';

/** For pages with React: the hooks, each component's logic without its look, and the components. */
export {
  type Session,
  type StoredValue,
  useAccess,
  useBillingKeepAlive,
  useBillingState,
  useCredits,
  useEntitlement,
  useNow,
  useOnline,
  usePricing,
  useSession,
  useStoredValue,
} from '../hooks.ts';
export type { Entitlement } from '../register.ts';
export { Account, useSignOut } from '../ui/account/account.tsx';
export { describeLoss, ManageAccount } from '../ui/account/manage-account.tsx';
export { type SignInControl, SignInForm, type SignInFormProps, useSignIn } from '../ui/account/sign-in.tsx';
export { Button } from '../ui/controls.tsx';
export { describeConsume } from '../ui/features/describe-consume.ts';
export {
  deriveAccess,
  describeAccess,
  type FeatureAccess,
} from '../ui/features/feature-access.ts';
export { FeatureButton, type FeatureControl, useFeature } from '../ui/features/feature-button.tsx';
export {
  daysLeft,
  formatCount,
  formatDay,
  formatMoment,
  formatMoney,
  formatPrice,
} from '../ui/format.ts';
export { BalanceMeter } from '../ui/meter/balance-meter.tsx';
export { deriveMeter, describeMeter, type MeterLevel, type MeterView } from '../ui/meter/meter.ts';
export {
  type AccountNotification,
  deriveNotification,
  describeNotification,
} from '../ui/notifications/notifications.ts';
export {
  ToastProvider,
  useNotifications,
  useToast,
} from '../ui/notifications/toasts.tsx';
export { Panel, type PanelProps } from '../ui/panel/panel.tsx';
export { planBenefits } from '../ui/plans/benefits.ts';
export { type Checkout, CheckoutProvider, useCheckout } from '../ui/plans/checkout.tsx';
export {
  bestYearlySaving,
  derivePlanChoice,
  deriveYearlyPrice,
  planFamilies,
  plansApart,
  plansFor,
} from '../ui/plans/choices.ts';
export { packName, planCostOf } from '../ui/plans/offers.ts';
export { BuyButton, PackList } from '../ui/plans/packs.tsx';
export { PlanGrid } from '../ui/plans/plan-grid.tsx';
export { PlanList } from '../ui/plans/plan-list.tsx';
export { planName, planNameOf } from '../ui/plans/plan-names.ts';
export { PlanStatus, usePortal } from '../ui/status/plan-status.tsx';
export { describeStatus, type StatusView } from '../ui/status/status.ts';
export { Balance } from '../ui/surface/balance.tsx';
export { firstFrameReady } from '../ui/surface/first-frame-ready.ts';
export { Loading } from '../ui/surface/loading.tsx';
export { OfflineNotice, type SignedInView, type SignedOutView, Surface } from '../ui/surface/surface.tsx';
export { refusalText } from '../ui/text/refusals.ts';
export {
  type CountedText,
  type CountKey,
  type MessageKey,
  provideTexts,
  type TextLanguage,
  type TextOptions,
  t,
  tCount,
  textLocale,
  textsLoaded,
} from '../ui/text/texts.ts';
export { Usage, type UsageView, useUsage } from '../ui/usage/usage.tsx';
export { formatUtcDay } from '../ui/usage/usage-data.ts';
export {
  type PlanWallControl,
  PlanWallProvider,
  usePlanWall,
  useWall,
  type Wall,
} from '../ui/wall/wall-state.tsx';
export { FreeCeilingWall, PlanWall, TopUpWall } from '../ui/wall/walls.tsx';
export { useSnapshot } from '../use-snapshot.ts';

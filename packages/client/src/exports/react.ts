/** For pages with React: the hooks, each component's logic without its look, and the components. */
export { useAccess } from '../hooks/use-access.ts';
export { useBillingKeepAlive } from '../hooks/use-billing-keep-alive.ts';
export { useBillingState } from '../hooks/use-billing-state.ts';
export { useCredits } from '../hooks/use-credits.ts';
export { type Entitlement, useEntitlement } from '../hooks/use-entitlement.ts';
export { useSnapshot } from '../hooks/use-snapshot.ts';
export { Account } from '../ui/account/account.tsx';
export { describeLoss } from '../ui/account/describe-loss.ts';
export { ManageAccount } from '../ui/account/manage-account.tsx';
export { SignInForm, type SignInFormProps } from '../ui/account/sign-in-form.tsx';
export { type SignInControl, useSignIn } from '../ui/account/use-sign-in.ts';
export { useSignOut } from '../ui/account/use-sign-out.ts';
export { Button } from '../ui/button.tsx';
export { deriveAccess, type FeatureAccess } from '../ui/features/derive-access.ts';
export { describeAccess } from '../ui/features/describe-access.ts';
export { describeConsume } from '../ui/features/describe-consume.ts';
export { FeatureButton } from '../ui/features/feature-button.tsx';
export { type FeatureControl, useFeature } from '../ui/features/use-feature.ts';
export { ToastProvider, useToast } from '../ui/feedback.tsx';
export { daysLeft, formatCount, formatDay, formatMoment, formatUtcDay } from '../ui/format/format-date.ts';
export { formatMoney, formatPrice } from '../ui/format/format-money.ts';
export { deriveHappening, type Happening } from '../ui/happenings/derive-happening.ts';
export { describeHappening } from '../ui/happenings/describe-happening.ts';
export { useHappenings } from '../ui/happenings/use-happenings.ts';
export { BalanceMeter } from '../ui/meter/balance-meter.tsx';
export { deriveMeter, type MeterLevel, type MeterView } from '../ui/meter/derive-meter.ts';
export { describeMeter } from '../ui/meter/describe-meter.ts';
export { BuyButton } from '../ui/plans/buy-button.tsx';
export { type Checkout, CheckoutProvider, useCheckout } from '../ui/plans/checkout-context.tsx';
export {
  bestYearlySaving,
  derivePlanChoice,
  deriveYearlyPrice,
  planFamilies,
  plansApart,
  plansFor,
} from '../ui/plans/derive-choices.ts';
export { packName, planBenefits, planCostOf, planName, planNameOf } from '../ui/plans/offer-text.ts';
export { PackList } from '../ui/plans/pack-list.tsx';
export { PlanGrid } from '../ui/plans/plan-grid.tsx';
export { PlanList } from '../ui/plans/plan-list.tsx';
export { describeStatus, type StatusView } from '../ui/status/describe-status.ts';
export { PlanStatus } from '../ui/status/plan-status.tsx';
export { usePortal } from '../ui/status/use-portal.ts';
export { Balance } from '../ui/surface/balance.tsx';
export { Loading } from '../ui/surface/loading.tsx';
export { OfflineNotice } from '../ui/surface/offline-notice.tsx';
export { type SignedInView, type SignedOutView, Surface } from '../ui/surface/surface.tsx';
export { useNow } from '../ui/surface/use-now.ts';
export { useOnline } from '../ui/surface/use-online.ts';
export { type Session, useSession } from '../ui/surface/use-session.ts';
export { refusalText } from '../ui/text/refusal-text.ts';
export { type CountKey, type MessageKey, t, tCount } from '../ui/text/t.ts';
export { textLocale } from '../ui/text/text-locale.ts';
export {
  type CountedText,
  provideTexts,
  type TextLanguage,
  type TextOptions,
  textsLoaded,
} from '../ui/text/texts.ts';
export { Usage } from '../ui/usage/usage.tsx';
export { type UsageView, useUsage } from '../ui/usage/use-usage.ts';
export { type StoredValue, useStoredValue } from '../ui/use-stored-value.ts';
export { PlanWall } from '../ui/wall/plan-wall.tsx';
export { type PlanWallControl, PlanWallProvider, usePlanWall } from '../ui/wall/plan-wall-context.tsx';
export { TopUpWall } from '../ui/wall/topup-wall.tsx';
export { useWall, type Wall } from '../ui/wall/use-wall.ts';

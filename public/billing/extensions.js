// The extensions to which a sign-in link may be handed. Written by `npx billing deploy` (BILLING_EXTENSION_IDS).
export const EXTENSION_IDS = [];

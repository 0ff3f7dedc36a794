/** For a web app on the same accounts: what the hooks, the components and `send` need there in the place of a worker. */
export { createWebBilling, type WebBilling } from '../web/create-web-billing.ts';
export type { WebBillingConfig } from '../web/web-config.ts';

/** What the service sells: in a checkout of your own, this is your one `billing.config.ts`. */
export { default as catalog } from '../../../billing.config.ts';

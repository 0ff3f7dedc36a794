import { MESSAGE_REQUESTS } from '@extension-billing/contract/messages';
import { type Holds, type Output, read, type Same } from '@extension-billing/contract/schema';
import type { BillingMessages, BillingMessageType } from '../messages.ts';

type Requests = {
  -readonly [T in keyof typeof MESSAGE_REQUESTS]: Request<Output<(typeof MESSAGE_REQUESTS)[T]>>;
};
type Request<Fields> = keyof Fields extends never ? object : Fields;
type PublishedRequests = { [T in BillingMessageType]: BillingMessages[T]['request'] };
/** The published interface says the same as the schemas: adopters' compilers must not need valibot. */
export type MessagesHold = Holds<Same<Requests, PublishedRequests>>;

export function isBillingMessageType(type: unknown): type is BillingMessageType {
  return typeof type === 'string' && Object.hasOwn(MESSAGE_REQUESTS, type);
}

/** What a message asks for; null where it does not hold what it must. */
export function parseRequest<T extends BillingMessageType>(
  type: T,
  fields: Readonly<Record<string, unknown>>,
): BillingMessages[T]['request'] | null {
  return read(MESSAGE_REQUESTS[type], fields);
}

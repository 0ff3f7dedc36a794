import type { Facts } from '../../../../functions/src/domain/facts.ts';
import { clawedOf, isFullyRefunded } from '../../../../functions/src/domain/lots.ts';
import { describeTime } from './describe-time.ts';
import { formatTable } from './format-table.ts';

/** Everything the provider has told about a user, one object a line. */
export function describeFacts(facts: Facts): string {
  const rows = [
    ...Object.entries(facts.customers).map(([id, { deleted, at }]) => [
      'customer',
      id,
      deleted ? 'deleted' : 'exists',
      describeTime(at),
    ]),
    ...Object.entries(facts.subscriptions).map(([id, { state, at, ticket, undated }]) => [
      'subscription',
      id,
      `${state.status}${state.cancel ? ', ends' : ''}, ${state.lookupKey ?? 'no lookup key'}${ticket > 0 ? `, asked for (${ticket})` : ''}`,
      undated === true ? '–' : describeTime(at),
    ]),
    ...Object.entries(facts.grants).map(([, grant]) => [
      'allowance',
      grant.invoice,
      `${grant.credits} credits`,
      describeTime(grant.periodStart),
    ]),
    ...Object.entries(facts.purchases).map(([id, purchase]) => {
      const back = isFullyRefunded(purchase) ? ', money back' : '';
      const clawed = clawedOf(purchase);
      const size = purchase.product === 'pack' ? ` of ${purchase.credits} credits` : '';
      return [
        purchase.product ?? 'purchase',
        id,
        `${purchase.paidAt === null ? 'not paid' : 'paid'}${size}${back}${clawed > 0 ? `, ${clawed} clawed back` : ''}`,
        describeTime(purchase.paidAt ?? 0),
      ];
    }),
    ...Object.entries(facts.disputedInvoices).flatMap(([invoice, { amount, disputes }]) =>
      Object.entries(disputes).map(([id, { won, disputed, openedAt }]) => [
        'dispute',
        id,
        `${won ? 'won' : 'open or lost'}, ${disputed ?? amount} of ${amount} of ${invoice}`,
        describeTime(openedAt),
      ]),
    ),
    ...(facts.imported === null
      ? []
      : [['imported', '', `paid ${facts.imported.paid}, plan ${facts.imported.plan ?? 'none'}`, '–']]),
  ];
  return formatTable(['what', 'id', 'state', 'as of'], rows);
}

import type Stripe from 'stripe';
import { invalidRequest, missingResource } from './errors.ts';

export interface PageParams {
  limit?: number;
  starting_after?: string;
  ending_before?: string;
  created?: number | Stripe.RangeQueryParam;
}

function createdWithin(range: PageParams['created']): (row: object) => boolean {
  if (range === undefined) return () => true;
  return (row) => {
    const created = 'created' in row && typeof row.created === 'number' ? row.created : 0;
    if (typeof range === 'number') return created === range;
    return (
      created > (range.gt ?? Number.NEGATIVE_INFINITY) &&
      created >= (range.gte ?? Number.NEGATIVE_INFINITY) &&
      created < (range.lt ?? Number.POSITIVE_INFINITY) &&
      created <= (range.lte ?? Number.POSITIVE_INFINITY)
    );
  };
}

/** One page of `rows`, which are newest first, as Stripe lists them. `url` is the list's own address. */
export function page<Row extends { id: string }>(
  rows: Row[],
  params: PageParams,
  url: string,
): Stripe.ApiList<Row> {
  const limit = params.limit ?? 10;
  if (limit < 1 || limit > 100)
    throw invalidRequest(
      limit < 1
        ? 'This value must be greater than or equal to 1.'
        : `This value must be less than or equal to 100 (it currently is '${limit}').`,
      'limit',
      'parameter_invalid_integer',
    );
  const positionOf = (id: string, param: string): number => {
    const index = rows.findIndex((row) => row.id === id);
    if (index < 0) throw missingResource('object', id, param, 400);
    return index;
  };
  const isWanted = createdWithin(params.created);
  if (params.ending_before !== undefined) {
    const before = rows.slice(0, positionOf(params.ending_before, 'ending_before')).filter(isWanted);
    return { object: 'list', data: before.slice(-limit), has_more: before.length > limit, url };
  }
  const start =
    params.starting_after === undefined ? 0 : positionOf(params.starting_after, 'starting_after') + 1;
  const after = rows.slice(start).filter(isWanted);
  return { object: 'list', data: after.slice(0, limit), has_more: after.length > limit, url };
}

import * as v from 'valibot';
import { InvalidRequest } from './answer.ts';
import { NoFields } from './requests.ts';

/**
 * The body as a route takes it. A missing, wrong or unknown field is an InvalidRequest that names it; values
 * are never repeated.
 */
export function parseBody<Schema extends v.GenericSchema>(
  schema: Schema,
  body: unknown,
): v.InferOutput<Schema> {
  // An array is an object to valibot, and one without fields where all are optional.
  if (Array.isArray(body)) throw new InvalidRequest(NO_OBJECT);
  const result = v.safeParse(schema, body);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new InvalidRequest(explain(issue));
}

/** The query of a route, in the same way: each of its fields at most once. */
export function parseQuery<Schema extends v.GenericSchema>(
  schema: Schema,
  query: object,
): v.InferOutput<Schema> {
  return parseBody(schema, { ...query });
}

/** For a route that takes no fields: `{}` or no body at all. */
export function parseNoFields(body: unknown): void {
  parseBody(NoFields, body);
}

const NO_OBJECT = 'The body must be a JSON object.';

function explain(issue: v.BaseIssue<unknown>): string {
  const field = v.getDotPath(issue);
  if (field === null) return NO_OBJECT;
  const name = field.slice(0, 64);
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    return `${name}: this field is not taken here; leave it out.`;
  }
  if (issue.type === 'strict_object') return `${name}: this field is missing.`;
  return `${name}: must be ${issue.expected ?? 'another value'}.`;
}

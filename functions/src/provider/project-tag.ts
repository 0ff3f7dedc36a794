import { readMetadata } from './metadata.ts';

/** Where an object of the provider's may carry what checkout wrote. */
interface Tagged {
  readonly metadata?: Readonly<Record<string, string>> | null;
  readonly parent?: { readonly subscription_details?: Details } | null;
  /** Of an invoice, before 2025-03-31. */
  readonly subscription_details?: Details;
}
type Details = { readonly metadata?: Readonly<Record<string, string>> | null } | null;

/**
 * Whether an object was sold by another Firebase project on the same account: its tag names that one. Objects without a
 * tag are not: they were made before there was one, or by hand (docs/decisions/0113-only-this-projects-prices.md).
 *
 * @param project this Firebase project; null where it is not known, and every object counts
 */
export function isOfOtherProject(object: unknown, project: string | null): boolean {
  if (project === null || typeof object !== 'object' || object === null) return false;
  const { metadata, parent, subscription_details: details } = object as Tagged;
  const tags = [metadata, parent?.subscription_details?.metadata, details?.metadata].map(
    (each) => readMetadata(each).project,
  );
  return tags.some((tag) => tag !== undefined && tag !== project);
}

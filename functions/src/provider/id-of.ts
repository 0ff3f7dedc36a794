/** The id behind a field that holds an id or, where it was expanded, the object. */
export function idOf(field: string | { readonly id: string } | null | undefined): string | null {
  if (field === null || field === undefined) return null;
  return typeof field === 'string' ? field : field.id;
}

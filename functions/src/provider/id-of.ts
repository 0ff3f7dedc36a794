/** The id behind a field that holds an id or, where it was expanded, the object. Null where it holds neither. */
export function idOf(field: string | { readonly id: string } | null | undefined): string | null {
  const id: unknown = typeof field === 'object' ? field?.id : field;
  return typeof id === 'string' ? id : null;
}

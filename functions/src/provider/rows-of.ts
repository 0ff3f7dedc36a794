/** The objects in one of the provider's lists; none where the value is no list. */
export function rowsOf<Row extends object>(
  list: { readonly data?: readonly Row[] } | null | undefined,
): readonly Row[] {
  const rows: unknown = list?.data;
  if (!Array.isArray(rows)) return [];
  return rows.filter((row): row is Row => typeof row === 'object' && row !== null);
}

type Json = string | number | boolean | null | undefined | Json[] | { [key: string]: Json };

const isMap = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What `before` held where `after` differs: an event's `previous_attributes`. Maps are compared field by
 * field, lists as a whole; undefined when nothing differs.
 */
export function difference(before: unknown, after: unknown): Record<string, unknown> | undefined {
  const found = compare(before as Json, after as Json);
  return found.changed && isMap(found.previous) ? found.previous : undefined;
}

function compare(before: Json, after: Json): { changed: boolean; previous: Json } {
  if (isMap(before) && isMap(after)) {
    const previous: { [key: string]: Json } = {};
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const inner = compare(before[key] ?? null, after[key] ?? null);
      if (inner.changed) previous[key] = inner.previous;
    }
    return { changed: Object.keys(previous).length > 0, previous };
  }
  const same = JSON.stringify(before) === JSON.stringify(after);
  return { changed: !same, previous: before };
}

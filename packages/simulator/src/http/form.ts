/** What a form-encoded body holds before its types are known: strings, lists and maps of them. */
export type FormValue = string | FormValue[] | FormMap;
export interface FormMap {
  [key: string]: FormValue;
}

/** `a[b][0][c]` → `['a', 'b', '0', 'c']`; `expand[]` → `['expand', '']`. */
function segmentsOf(name: string): string[] {
  const open = name.indexOf('[');
  if (open < 0) return [name];
  return [
    name.slice(0, open),
    ...[...name.slice(open).matchAll(/\[([^\]]*)\]/g)].map((match) => match[1] ?? ''),
  ];
}

const isMap = (value: FormValue | undefined): value is FormMap =>
  typeof value === 'object' && !Array.isArray(value);

function put(target: FormMap, [head = '', ...rest]: string[], value: string): void {
  const key = head === '' ? String(Object.keys(target).length) : head;
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const existing = target[key];
  const inner: FormMap = isMap(existing) ? existing : Object.create(null);
  target[key] = inner;
  put(inner, rest, value);
}

/** A map whose keys are 0…n-1 was a list on the wire. */
function withLists(value: FormValue): FormValue {
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, withLists(inner)] as const);
  const isList = entries.length > 0 && entries.every(([key], index) => key === String(index));
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

/** Parses a form-encoded body or query string the way Stripe's API nests it. */
export function parseForm(text: string): FormMap {
  const root: FormMap = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) put(root, segmentsOf(name), value);
  return Object.fromEntries(Object.entries(root).map(([key, value]) => [key, withLists(value)]));
}

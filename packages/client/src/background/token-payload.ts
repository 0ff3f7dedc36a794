/** The fields of an object; none where it is something else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The claims of a token, unchecked: the auth service checks its signature. None where it is no token. */
export function payloadOf(token: unknown): Readonly<Record<string, unknown>> {
  const payload = typeof token === 'string' ? token.split('.')[1] : undefined;
  if (payload === undefined) return {};
  try {
    return fieldsOf(JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))));
  } catch {
    return {};
  }
}

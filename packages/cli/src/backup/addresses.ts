/** Where a suite is reached; every address that may stand in its data. */
export type Addresses = Readonly<Record<string, string>>;

const NAMES = ['BILLING_BASE_URL', 'BILLING_DIRECT_URL', 'PROVIDER_BASE_URL', 'RETURN_BASE_URL'];

/** The addresses among a suite's variables. */
export function addressesOf(variables: Readonly<Record<string, string | undefined>>): Addresses {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const address = variables[name];
      return address === undefined ? [] : [[name, address]];
    }),
  );
}

/**
 * Answers how a text of one suite reads in another, on other ports: each address of the one becomes the same of the
 * other, all at once, so that one that takes another's place is not moved twice.
 */
export function movingAddresses(from: Addresses, to: Addresses): (text: string) => string {
  const moved = new Map(
    Object.entries(from).flatMap(([name, old]) => {
      const address = to[name];
      return address === undefined || address === old ? [] : [[old, address]];
    }),
  );
  if (moved.size === 0) return (text) => text;
  const longestFirst = [...moved.keys()].sort((a, b) => b.length - a.length);
  const any = new RegExp(`(?:${longestFirst.map(literally).join('|')})(?!\\d)`, 'g');
  return (text) => text.replaceAll(any, (old) => moved.get(old) ?? old);
}

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

import type { Found } from './import.ts';

/**
 * Of people who are judged before anybody is brought, two may name the same customer of Stripe's that is nobody's here
 * yet: an account that was moved, and the one it was moved from. Nobody can tell from here whose it is, and who came
 * last would take it from who came first. So neither is brought before the owner says whom to bring.
 */
export function withoutContested(found: readonly Found[]): readonly Found[] {
  const claims = Map.groupBy(
    found.flatMap(({ person, decision }) => decision.links.map((customer) => ({ customer, person }))),
    ({ customer }) => customer,
  );
  return found.map((each) => {
    const contested = each.decision.links.flatMap((customer) =>
      (claims.get(customer) ?? [])
        .filter(({ person }) => person !== each.person)
        .map(
          ({ person }) => `${customer} is the customer of ${person.name}, too; bring one of them with --only`,
        ),
    );
    if (contested.length === 0) return each;
    const problems = [...contested, ...each.problems];
    return { ...each, problems, decision: { ...each.decision, isBlocked: true } };
  });
}

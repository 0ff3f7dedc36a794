import type { Difference } from '../../../../functions/src/domain/difference.ts';

export const DIFFERENCE_HEADING = ['what', 'which', 'here', 'should be', 'repair'] as const;

/** A difference as a row under DIFFERENCE_HEADING. */
export function describeDifference({ kind, about, here, should, repair }: Difference): readonly string[] {
  return [kind, about, here, should, repairOf(repair)];
}

function repairOf(repair: Difference['repair']): string {
  switch (repair.kind) {
    case 'facts':
      return 'write the facts';
    case 'derive':
      return 'derive again';
    case 'mirror':
      return 'set the claim';
    case 'end':
      return 'ends the subscription at the provider';
    case 'none':
      return `none: ${repair.why}`;
    default:
      return repair satisfies never;
  }
}

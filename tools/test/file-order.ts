import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * What comes first: files that go through every user that there is, before those that make hundreds of them; then what
 * takes longest and mostly waits, so that others run meanwhile.
 */
const FIRST = [
  /\/support-commands\./,
  /\/reconcile\./,
  /\/crashes\./,
  /\/preview\/looks\./,
  /\/preview\/states\b/,
  /\/over-http\./,
  /\/bounded-calls\./,
  /\/customer\.emulator\./,
];

const rank = ({ moduleId }: TestSpecification): number => {
  const at = FIRST.findIndex((pattern) => pattern.test(moduleId));
  return at === -1 ? FIRST.length : at;
};

/** vitest's own order, but for the files that are named here. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

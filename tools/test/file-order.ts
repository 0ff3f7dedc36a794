import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They go through every user that there is, so they come before the files that make hundreds of them. */
const LOOKS_AT_ALL_USERS = /\/(support-commands|reconcile)\.emulator\.test\.ts$/;

/** vitest's own order, which starts with what takes longest, but for the files that get slower by what others leave. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const early = usual.filter(({ moduleId }) => LOOKS_AT_ALL_USERS.test(moduleId));
    return [...early, ...usual.filter((file) => !early.includes(file))];
  }
}

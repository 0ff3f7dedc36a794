import * as v from 'valibot';

/** One way through everybody, and how far it is. */
export const PassState = v.object({
  /** When it began; 0: never. */
  begunAt: v.number(),
  /** False: it is done. */
  isOpen: v.boolean(),
  /** Of the last page that was gone through; null: none yet. */
  cursor: v.nullable(v.string()),
  /** What it went through so far, in its own unit. */
  done: v.number(),
  failed: v.number(),
  /** What was written or made before this was gone through already, as far as nothing failed; 0: nothing was. */
  since: v.number(),
  /** From when on something failed, and has to be gone back to; null: nothing. */
  owed: v.optional(v.nullable(v.number()), null),
  /** When it was gone back to. */
  wentBackAt: v.optional(v.number(), 0),
});
export type PassState = v.InferOutput<typeof PassState>;

export const NEVER_BEGUN: PassState = {
  ...{ begunAt: 0, isOpen: false, cursor: null },
  ...{ done: 0, failed: 0, since: 0, owed: null, wentBackAt: 0 },
};

/** A page that was gone through; `away`: the provider or the store is not there, so it was not. */
export type PassPage = { readonly next: string | null; readonly done: number } | 'away';

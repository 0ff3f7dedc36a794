import type { KeptAnswer } from '../state/snapshot.ts';
import { idempotencyMismatch, invalidRequest } from './errors.ts';

export interface Answer {
  status: number;
  body: string;
}

/** Remembers what a POST with an idempotency key was answered, errors from its execution included. */
export class IdempotencyKeys {
  private readonly answers = new Map<string, { fingerprint: string; answer: Answer }>();

  /**
   * The recorded answer, or null when the key is new.
   * @throws StripeApiError 400 `idempotency_error` when the key came with other parameters before.
   */
  recorded(key: string, fingerprint: string): Answer | null {
    if (key.length > 255)
      throw invalidRequest(
        'Idempotency keys can be at most 255 characters long.',
        undefined,
        'idempotency_key_too_long',
      );
    const found = this.answers.get(key);
    if (found === undefined) return null;
    if (found.fingerprint !== fingerprint) throw idempotencyMismatch(key);
    return found.answer;
  }

  record(key: string, fingerprint: string, answer: Answer): void {
    this.answers.set(key, { fingerprint, answer });
  }

  /** All that is remembered, to be kept in a file. */
  entries(): KeptAnswer[] {
    return [...this.answers];
  }

  restore(entries: readonly KeptAnswer[]): void {
    this.answers.clear();
    for (const [key, recorded] of entries) this.answers.set(key, recorded);
  }

  clear(): void {
    this.answers.clear();
  }
}

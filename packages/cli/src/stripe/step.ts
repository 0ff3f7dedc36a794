/** What set-up did about one thing. A `problem` is left for a person, and `note` says what to do. */
export interface Step {
  readonly about: string;
  readonly did: 'created' | 'updated' | 'unchanged' | 'problem';
  readonly note?: string;
}

/** One line for a person. */
export function lineOf({ about, did, note }: Step): string {
  return `${did.padEnd(9)}  ${about}${note === undefined ? '' : `\n           ${note}`}`;
}

/** What one check found. `todo` says what to do about a problem. */
export type Finding =
  | { readonly ok: true; readonly about: string }
  | { readonly ok: false; readonly about: string; readonly todo: string };

export const fine = (about: string): Finding => ({ ok: true, about });
export const problem = (about: string, todo: string): Finding => ({ ok: false, about, todo });

/** One line each, and under a problem what to do. */
export function lineOf(finding: Finding): string {
  return finding.ok ? `ok       ${finding.about}` : `problem  ${finding.about}\n         → ${finding.todo}`;
}

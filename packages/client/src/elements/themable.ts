const DECLARED = /(--billing-[\w-]+)\s*:\s*([^;{}]+)(?=[;}])/g;
const USED = /var\(\s*--billing-/g;

/**
 * A style sheet of the components for a shadow root: every `--billing-…` that the page around sets, on `:root` or nearer,
 * wins over its default. A default that stood on `:host` would win over what is inherited, so that it gets a name of its
 * own, and falls back only where nobody has set the other one.
 */
export function themable(css: string): string {
  return css
    .replaceAll(USED, 'var(--_billing-')
    .replaceAll(
      DECLARED,
      (_, name: string, value: string) => `--_${name.slice(2)}:var(${name},${value.trim()})`,
    );
}

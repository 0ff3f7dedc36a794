/** What Plasmo mounts a page with, by what package.json depends on. */
export type PlasmoUi = 'react' | 'vue' | 'svelte' | 'vanilla';

/**
 * A page's component, which shows nothing: Plasmo asks for one, and billing's elements stand beside it.
 *
 * @param page billing's script, as the component's file names it
 */
export function emptyComponent(ui: PlasmoUi, page: string): string {
  const line = `import '${page}';`;
  switch (ui) {
    case 'react':
      return `${line}\n\n// Billing's elements need no React; @extension-billing/client/react has components, too.\nexport default function Billing() {\n  return null;\n}\n`;
    case 'vue':
      return `<script lang="ts">\n${line}\n\nexport default { render: () => null };\n</script>\n`;
    case 'svelte':
      return `<script lang="ts">\n  ${line}\n</script>\n`;
    case 'vanilla':
      return `${line}\n`;
    default:
      return ui satisfies never;
  }
}

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

export const NOTICES_FILE = 'THIRD_PARTY_NOTICES.md';

/** Writes the licenses of every package of which some code is in the bundle: they require it in each copy. */
export const thirdPartyNotices: Plugin = {
  name: 'third-party-notices',
  setup({ initialOptions, onEnd }) {
    initialOptions.metafile = true;
    onEnd(({ metafile }) => {
      const packages = new Set<string>();
      for (const { inputs } of Object.values(metafile?.outputs ?? {})) {
        for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
          const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
          if (folder !== undefined && bytesInOutput > 0) packages.add(folder);
        }
      }
      const sections = [...packages].map(sectionOf).toSorted();
      const text = `# Third-party code in this bundle\n\n${sections.join('\n')}`;
      writeFileSync(join(initialOptions.outdir ?? '.', NOTICES_FILE), text);
    });
  },
};

function sectionOf(folder: string): string {
  const { name, version, license }: Record<'name' | 'version' | 'license', string> = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const read = (pattern: RegExp): string[] =>
    readdirSync(folder)
      .filter((file) => pattern.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const texts = read(/^(?:licen[cs]e|copying|notice)/i);
  // A few packages have it in their README alone.
  const [inReadme] = read(/^readme/i).map((readme) => /^(?:#+ )?licen[cs]e\b[\s\S]*/im.exec(readme)?.[0]);
  const found = texts.length > 0 ? texts : [inReadme ?? ''];
  return `## ${name} - ${version} (${license})\n\n${found.join('\n\n')}\n`;
}

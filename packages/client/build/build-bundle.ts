import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build, type InlineConfig } from 'vite';
import { smallFirebase } from '../src/patches/small-firebase.ts';
import { type Bundle, entryOf, SOURCE } from './doors.ts';
import { onPreact } from './preact.ts';

/** What every build of the package has in common. */
export const common = {
  configFile: false,
  root: SOURCE,
  publicDir: false,
  logLevel: 'warn',
} as const satisfies InlineConfig;

export const output = {
  target: 'chrome121',
  // For an older one the styles would get properties that do not begin with `--billing`, for what they do not use.
  cssTarget: 'chrome123',
  emptyOutDir: false,
  sourcemap: true,
} as const;

/** In every script that has other packages' code in it, where minifiers keep it. */
const noticeOf = (name: string): string =>
  `/*! Third-party code: licenses/${name}.md of @extension-billing/client. */`;

interface Licensed {
  readonly name: string;
  readonly version: string;
  readonly identifier: string;
  /** Absent if the package names its license and brings no text, as Firebase's do. */
  readonly text?: string;
}

/** The file of licenses that vite writes for a bundle; `writeLicenses` makes it readable. */
export const licenseJson = (name: string) => ({ fileName: `licenses/${name}.json` });

/** Writes who made what is in a bundle, and under which license: the script and this file are complete together. */
export function writeLicenses(outDir: string, name: string): void {
  const json = join(outDir, 'licenses', `${name}.json`);
  const packages: readonly Licensed[] = JSON.parse(readFileSync(json, 'utf8'));
  rmSync(json);
  const sections = packages.map(({ name, version, identifier, text = APACHE_NOTICE }) => {
    if (text === APACHE_NOTICE && identifier !== 'Apache-2.0')
      throw new Error(`${name} brings no text of its license (${identifier}).`);
    return `## ${name} - ${version} (${identifier})\n\n${text.trim()}\n`;
  });
  if (packages.some(({ text }) => text === undefined)) sections.push(apacheLicense());
  writeFileSync(
    json.replace(/json$/, 'md'),
    ['# Third-party code\n', ...(sections.length > 0 ? sections : ['None.\n'])].join('\n'),
  );
}

const APACHE_NOTICE =
  'Copyright Google LLC. Licensed under the Apache License, Version 2.0, whose text is at the end of this file.';

function apacheLicense(): string {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  return `## The Apache License\n\n${readFileSync(join(typescript, 'LICENSE'), 'utf8').trim()}\n`;
}

/** One file each, as small as it gets. */
export async function buildBundle({ name, format, isOnPreact }: Bundle, outDir: string): Promise<void> {
  await build({
    ...common,
    plugins: isOnPreact ? [...onPreact] : [smallFirebase()],
    // Also where the environment says something else, as a test runner's does.
    // Firebase names Node's globals on paths that browsers never take; Parcel fails for want of polyfills.
    define: { 'process.env.NODE_ENV': '"production"', process: 'undefined', Buffer: 'Uint8Array' },
    oxc: { jsx: { runtime: 'automatic', development: false } },
    build: {
      ...output,
      outDir,
      license: licenseJson(name),
      lib: { entry: { [name]: entryOf(name) }, formats: [format], name: 'extensionBilling' },
      rolldownOptions: {
        // Vite leaves the spaces of a library's module to the bundler of whoever uses it, who may have none.
        output: {
          entryFileNames: '[name].js',
          codeSplitting: false,
          minify: true,
          comments: false,
          postBanner: noticeOf(name),
        },
      },
    },
  });
  writeLicenses(outDir, name);
}

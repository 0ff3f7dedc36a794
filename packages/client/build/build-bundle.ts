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

/** One file each, as small as it gets. Whose code is in it stands in licenses/. */
export async function buildBundle({ name, format, isOnPreact }: Bundle, outDir: string): Promise<void> {
  await build({
    ...common,
    plugins: isOnPreact ? [...onPreact] : [smallFirebase()],
    // Also where the environment says something else, as a test runner's does.
    define: { 'process.env.NODE_ENV': '"production"' },
    oxc: { jsx: { runtime: 'automatic', development: false } },
    build: {
      ...output,
      outDir,
      license: { fileName: `licenses/${name}.md` },
      lib: { entry: { [name]: entryOf(name) }, formats: [format], name: 'extensionBilling' },
      rolldownOptions: {
        // Vite leaves the spaces of a library's module to the bundler of whoever uses it, who may have none.
        output: { entryFileNames: '[name].js', codeSplitting: false, minify: true, comments: false },
      },
    },
  });
}

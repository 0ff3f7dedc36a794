import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../packages/cli/src/local/ports.ts';
import type { PartCommand } from '../suite/processes.ts';

/** Whether somebody could see a window: macOS always shows one, elsewhere a display must be named. */
export function hasDisplay(environment: Environment, platform: NodeJS.Platform): boolean {
  return platform === 'darwin' || Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY);
}

/** Chromium with the extension loaded, in a profile of its own that starts empty. */
export function planBrowser(options: {
  readonly program: string;
  readonly extension: string;
  readonly profile: string;
  readonly pages: readonly string[];
  readonly asRoot: boolean;
  readonly environment: Environment;
}): PartCommand {
  const { program, extension, profile, pages, asRoot, environment } = options;
  writeDeveloperMode(profile);
  return {
    name: 'browser',
    command: program,
    args: [
      `--user-data-dir=${profile}`,
      `--disable-extensions-except=${extension}`,
      `--load-extension=${extension}`,
      '--disable-features=DisableLoadExtensionCommandLineSwitch',
      '--no-first-run',
      '--no-default-browser-check',
      '--disable-background-networking',
      ...(asRoot ? ['--no-sandbox'] : []),
      ...pages,
    ],
    cwd: profile,
    env: environment,
  };
}

/** Without developer mode Chromium disables an unpacked extension when it reloads. */
function writeDeveloperMode(profile: string): void {
  mkdirSync(join(profile, 'Default'), { recursive: true });
  const preferences = { extensions: { ui: { developer_mode: true } } };
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(preferences));
}

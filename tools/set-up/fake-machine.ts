import type { Machine } from './machine.mjs';

export interface FakeMachine {
  readonly environment?: Readonly<Record<string, string>>;
  readonly platform?: string;
  readonly arch?: string;
  /** Programs there are, with what each prints by its first argument; a missing answer is a failure. */
  readonly programs?: Readonly<Record<string, (env: Readonly<Record<string, string>>) => string | undefined>>;
  readonly folders?: Readonly<Record<string, readonly string[]>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
}

/** A machine that has what the test says and nothing else. */
export function fakeMachine({
  environment = {},
  platform = 'linux',
  arch = 'x64',
  programs = {},
  folders = {},
  files = {},
  links = {},
}: FakeMachine): Machine {
  return {
    environment: { PATH: '/usr/bin', ...environment },
    platform,
    arch,
    home: '/home/ann',
    isRoot: false,
    isExecutable: (path) => path in programs,
    list: (path) => folders[path] ?? [],
    read: (path) => files[path],
    realPath: (path) => links[path] ?? path,
    output: (command, _args, env = {}) => programs[command]?.(env),
  };
}

/** A program that always prints the same. */
export const prints = (text: string) => () => text;

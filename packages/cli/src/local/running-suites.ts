import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a suite says of itself while it is up. It names no secret. */
export interface RunningSuite {
  /** Its addresses, as a command that it runs finds them in its environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** The function's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
}

const FILE = 'suite.json';

/** @param folder the suite's own, `.suite/<pid>` */
export function announceSuite(folder: string, suite: RunningSuite): void {
  writeFileSync(join(folder, FILE), JSON.stringify(suite));
}

/** The suites of this checkout that are up, on whatever ports. */
export function runningSuites(root: string): readonly RunningSuite[] {
  const suites = join(root, '.suite');
  if (!existsSync(suites)) return [];
  return readdirSync(suites)
    .filter((name) => /^\d+$/.test(name) && isRunning(Number(name)))
    .map((name) => join(suites, name, FILE))
    .filter(existsSync)
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as RunningSuite);
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Environment } from './ports.ts';

/** What firebase-tools gives the function as its environment: functions/.env, then functions/.env.<project>. */
export function readParameters(root: string, project: string): Environment {
  const files = ['.env', `.env.${project}`].map((name) => join(root, 'functions', name));
  return Object.assign({}, ...files.filter(existsSync).map((file) => parseEnv(readFileSync(file, 'utf8'))));
}

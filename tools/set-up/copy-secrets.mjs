import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Gives firebase-tools the secrets where it looks for them when it is run by hand: functions/.secret.local
 * becomes a copy of .secret.local, or of the example, which has the simulator's own values.
 *
 * @param {string} root
 */
export function copySecrets(root) {
  const own = join(root, '.secret.local');
  const text = readFileSync(existsSync(own) ? own : join(root, '.secret.local.example'), 'utf8');
  const copy = join(root, 'functions', '.secret.local');
  if (existsSync(copy) && readFileSync(copy, 'utf8') === text) return;
  writeFileSync(copy, text, { mode: 0o600 });
}

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, posix, resolve, sep } from 'node:path';
import { entriesOfTar } from './tar.mjs';
import { entriesOfZip } from './zip.mjs';

/**
 * @typedef {{ name: string, sort: 'folder' }
 *   | { name: string, sort: 'link', target: string }
 *   | { name: string, sort: 'file', data: Buffer, isProgram: boolean }} Entry a name has `/` between its parts
 */

/**
 * Unpacks an archive (`.zip`, `.whl`, `.tar.gz`) into a folder, and nothing beside it: a name or a link that leads out
 * of it ends the whole.
 *
 * @param {string} archive @param {string} folder
 * @throws {Error} where the archive is broken or leads outside.
 */
export function unpack(archive, folder) {
  const bytes = readFileSync(archive);
  const links = [];
  mkdirSync(folder, { recursive: true });
  for (const entry of /\.(zip|whl)$/.test(archive) ? entriesOfZip(bytes) : entriesOfTar(bytes)) {
    const path = within(folder, entry.name);
    if (entry.sort === 'folder') mkdirSync(path, { recursive: true });
    else {
      mkdirSync(dirname(path), { recursive: true });
      if (entry.sort === 'link') links.push({ ...entry, path });
      else writeFileSync(path, entry.data, { mode: entry.isProgram ? 0o755 : 0o644, flag: 'wx' });
    }
  }
  // Last, so that nothing is written through one.
  for (const { name, path, target } of links) {
    if (isAbsolute(target)) throw new Error(`${name} leads to ${target}, outside of the archive`);
    within(folder, posix.join(posix.dirname(name), target));
    symlinkSync(target, path);
  }
}

/** @param {string} folder @param {string} name */
function within(folder, name) {
  const whole = resolve(folder);
  const path = resolve(whole, name);
  const isBad = isAbsolute(name) || name.includes('\\') || name.includes('\0');
  if (isBad || !(path === whole || path.startsWith(whole + sep))) {
    throw new Error(`${name} leads outside of the archive`);
  }
  return path;
}

import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second on every platform that Node runs on. */
const MS_PER_TICK = 10;

/** Processor time that a process has taken so far, in milliseconds; null where the system has no /proc. */
export function cpuOf(pid: number | undefined): number | null {
  const stat = read(pid, 'stat');
  if (stat === null) return null;
  // The name of the program, in brackets, may have blanks in it.
  const [utime, stime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(utime) + Number(stime)) * MS_PER_TICK;
}

/** Memory that a process holds, in megabytes; null where the system has no /proc. */
export function memoryOf(pid: number | undefined): number | null {
  const kilobytes = read(pid, 'status')?.match(/^VmRSS:\s+(\d+) kB$/m)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}

/** Processor time of this process, in milliseconds. */
export function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function read(pid: number | undefined, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { followLogs } from './follow-logs.ts';

it('prints whole lines under the name of their part, those of before and those that come', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'billing-logs-'));
  const printed: string[] = [];
  writeFileSync(join(folder, 'direct.log'), 'before\nunfin');
  const end = followLogs(folder, (line) => printed.push(line));
  try {
    expect(printed).toEqual(['direct    │ before']);
    appendFileSync(join(folder, 'direct.log'), 'ished\n\n');
    appendFileSync(join(folder, 'simulator.log'), 'up\n');
    appendFileSync(join(folder, 'notes.txt'), 'no log\n');
    await vi.waitFor(() =>
      expect(printed.toSorted()).toEqual(['direct    │ before', 'direct    │ unfinished', 'simulator │ up']),
    );
  } finally {
    end();
    rmSync(folder, { recursive: true });
  }
});

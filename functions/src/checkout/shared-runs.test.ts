import { expect, it } from 'vitest';
import { SharedRuns, TooManyWaiting } from './shared-runs.ts';

/** Runs that end when they are told to, and the order in which they began. */
function someRuns() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { begun, run, settled, end: (name: string) => ends.get(name)?.() };
}

it('a burst of equal requests is one run, whose result each of them gets', async () => {
  const { begun, run, settled, end } = someRuns();
  const runs = new SharedRuns<string>(100);
  const all = Array.from({ length: 20 }, () => runs.join('ada', 'monthly', run('monthly')));
  await settled();
  end('monthly');
  const answers = await Promise.all(all);
  expect(begun).toEqual(['monthly']);
  expect(answers.map(({ result }) => result)).toEqual(Array(20).fill('monthly'));
  expect(answers.filter(({ shared }) => !shared)).toHaveLength(1);
});

it('different requests of one key take turns, those of another key do not wait', async () => {
  const { begun, run, settled, end } = someRuns();
  const runs = new SharedRuns<string>(100);
  const all = [
    runs.join('ada', 'monthly', run('first')),
    runs.join('ada', 'yearly', run('second')),
    runs.join('grace', 'monthly', run('other')),
  ];
  await settled();
  expect(begun).toEqual(['first', 'other']);
  for (const name of ['first', 'other']) end(name);
  await settled();
  expect(begun).toEqual(['first', 'other', 'second']);
  end('second');
  expect((await Promise.all(all)).map(({ result }) => result)).toEqual(['first', 'second', 'other']);
});

it('a run that fails is answered to all who share it, and the next one runs', async () => {
  const runs = new SharedRuns<string>(100);
  const fail = () => Promise.reject(new Error('down'));
  const shared = [runs.join('ada', 'monthly', fail), runs.join('ada', 'monthly', fail)];
  const next = runs.join('ada', 'yearly', async () => 'yearly');
  expect((await Promise.allSettled(shared)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await next).toEqual({ result: 'yearly', shared: false });
  expect(await runs.join('ada', 'monthly', async () => 'again')).toEqual({ result: 'again', shared: false });
});

it('turns away who comes when as many wait as may', async () => {
  const { run, settled, end } = someRuns();
  const runs = new SharedRuns<string>(2);
  const waiting = [runs.join('ada', 'a', run('a')), runs.join('ada', 'a', run('a'))];
  await settled();
  await expect(runs.join('ada', 'a', run('a'))).rejects.toThrow(TooManyWaiting);
  end('a');
  await Promise.all(waiting);
  const later = runs.join('ada', 'a', run('b'));
  await settled();
  end('b');
  expect((await later).result).toBe('b');
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createLog } from '../../src/kernel/process/log.ts';
import type { Overrides } from '../../src/start/platform.ts';
import { type Door, doorsOf } from '../support/runs/doors.ts';
import { answerOf, hangUpOften, type Leave } from '../support/runs/hangup.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';
import { type Split, startSplit } from '../support/world/split.ts';

/** Three of five are whole requests, more than the gateway lets wait for one center: it would be busy for good. */
const TIMES = 2_000;
const LONGEST_MS = 20;

/** Leaves within 20 ms by RST and by an ordinary close in turn; two of five do not send it all. */
const leave = (n: number): Leave => ({
  afterMs: n % (LONGEST_MS + 1),
  how: n % 2 === 0 ? 'reset' : 'close',
  sends: (['half', 'all but a byte'] as const)[n % 5] ?? 'all',
});

/** SVC_DEMO: the scripted model answers in chat. */
const shapes = {
  'in one process': (own: Pick<Overrides, 'log'>) =>
    startWorld({ ...own, environment: { SVC_DEMO: 'on' } }),
  'with its centers elsewhere': startSplit,
};

/** `npm run prove -- hangup` does the same 20,000 times against processes of their own. */
describe.each(Object.entries(shapes))('a platform %s whose clients hang up', (_shape, start) => {
  const lines: string[] = [];
  const thrown: unknown[] = [];
  const keep = (error: unknown): void => void thrown.push(error);
  let doors: Door[];
  const platform = started<Split | World>(() =>
    start({ log: createLog('info', (line) => void lines.push(line)) }),
  );
  beforeAll(async () => {
    doors = await doorsOf(platform.admin);
    // An error that nothing catches ends a process that is not a test.
    process.on('uncaughtException', keep);
  });
  afterAll(async () => {
    process.off('uncaughtException', keep);
  });

  const failures = (): string[] => lines.filter((line) => /"level":(?:[456]0)/.test(line));

  const expected = (): Record<string, number> => ({
    ...Object.fromEntries(doors.map(({ name }) => [name, 200])),
    'an import': 400,
    'an OAuth page': 303,
    'a token': 400,
  });

  async function answers(): Promise<Record<string, number>> {
    const statuses: Record<string, number> = {};
    for (const door of doors) statuses[door.name] = await answerOf(platform.base, door);
    return statuses;
  }

  it('answers at every door when it is waited for', async () => {
    expect(await answers()).toEqual(expected());
  });

  it('goes on, at every door and within 20 ms, and says nothing about it', async () => {
    lines.length = 0;
    await hangUpOften(platform.base, doors, TIMES, leave);
    expect(thrown).toEqual([]);
    expect(failures()).toEqual([]);
    expect(await answers()).toEqual(expected());
  });

  it('keeps nothing under way of them', async () => {
    const [list] = doors;
    if (!list) throw new Error('no door');
    await hangUpOften(platform.base, [list], TIMES, leave);
    expect(await answerOf(platform.base, list)).toBe(200);
    expect(thrown).toEqual([]);
  });
});

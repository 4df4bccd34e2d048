import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { openCommandStore } from '../../driver/sdk/command/store.ts';
import { TestClock } from '../support/world/clock.ts';

const mark = (commandId: string, at: number) => ({ commandId, tenantId: '1', at });

describe('the command store', () => {
  let dir: string;
  let file: string;
  const clock = new TestClock();
  const open = () => openCommandStore(file, () => clock.now());

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'store-'));
    file = join(dir, 'sub', 'commands.log');
  });
  afterEach(() => rm(dir, { recursive: true }));

  it('tells new, running and finished commands apart', async () => {
    const store = await open();
    expect(store.state('a')).toBe('new');
    await store.start(mark('a', clock.now()));
    expect(store.state('a')).toBe('running');
    await store.finish('a');
    expect(store.state('a')).toBe('finished');
    await store.close();
  });

  it('has the start on disk before it says so', async () => {
    const store = await open();
    await store.start(mark('a', clock.now()));
    expect(await readFile(file, 'utf8')).toContain('"started":"a"');
    await store.close();
  });

  it('finds after a crash what was started and never finished, and nothing else', async () => {
    const before = await open();
    await before.start(mark('done', clock.now()));
    await before.finish('done');
    await before.start(mark('cut off', clock.now()));
    // No close: the process just ends. A half-written line is what a crash leaves at the worst.
    await appendFile(file, '{"started":"torn');
    const after = await open();
    expect(after.orphans).toEqual([mark('cut off', clock.now())]);
    expect(['done', 'cut off', 'torn'].map((id) => after.state(id))).toEqual([
      'finished',
      'interrupted',
      'new',
    ]);
    await after.finish('cut off');
    await after.close();
    await before.close();
    const third = await open();
    expect(third.orphans).toEqual([]);
    expect(third.state('cut off')).toBe('finished');
    await third.close();
  });

  it('forgets finished commands after ten minutes, never unfinished ones', async () => {
    const store = await open();
    for (let i = 0; i < 50; i += 1) {
      await store.start(mark(`c${i}`, clock.now()));
      if (i > 0) await store.finish(`c${i}`);
    }
    await store.close();
    const { size } = await stat(file);
    await clock.advance(600_001);
    const later = await open();
    expect(later.orphans.map(({ commandId }) => commandId)).toEqual(['c0']);
    expect(later.state('c1')).toBe('new');
    expect((await stat(file)).size).toBeLessThan(size / 20);
    await later.close();
  });
});

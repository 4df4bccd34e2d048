import { availableParallelism } from 'node:os';

import { describe, expect, it, onTestFinished } from 'vitest';

import { gated } from '../../src/auth/credential/hash-gate.ts';

const RUNNING = Math.max(2, availableParallelism());
const WAITING = 64;

type Job = { source: string; outcome: Promise<string>; end(): void };

/** Hashes that last until a test ends them; `began` names their sources in the order they began. */
function setUp() {
  const began: string[] = [];
  const jobs: Job[] = [];
  const start = (source: string, count = 1, isKnown = false): void => {
    for (let n = 0; n < count; n += 1) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const hash = async (): Promise<void> => {
        began.push(source);
        await promise;
      };
      const outcome = gated({ source, isKnown }, hash).then(
        () => 'done',
        (error: { status: number }) => String(error.status),
      );
      jobs.push({ source, outcome, end: resolve });
    }
  };
  const endAll = (): Promise<string[]> => {
    for (const { end } of jobs) end();
    return Promise.all(jobs.map(({ outcome }) => outcome));
  };
  onTestFinished(async () => void (await endAll()));
  return { began, jobs, start, endAll };
}

describe('the hash gate', () => {
  it('runs one per core, holds a bounded number, refuses the rest', async () => {
    const { began, start, endAll } = setUp();
    start('a', RUNNING + WAITING + 10);
    expect(began).toHaveLength(RUNNING);
    const outcomes = await endAll();
    expect(outcomes.filter((outcome) => outcome === '429')).toHaveLength(10);
  });

  it('lets the sources take turns', async () => {
    const { began, start, endAll } = setUp();
    start('a', RUNNING + 10);
    start('b', 2);
    start('c');
    await endAll();
    expect(began.slice(RUNNING, RUNNING + 5)).toEqual(['a', 'b', 'c', 'a', 'b']);
  });

  it('gives up a place of the source that has most, for one that has fewer', async () => {
    const { start, jobs, endAll } = setUp();
    start('attacker', RUNNING + WAITING);
    for (let n = 0; n < 20; n += 1) start(`person-${n}`);
    start('attacker', 5);
    await endAll();
    const refused = async (isPerson: boolean): Promise<number> => {
      const of = jobs.filter(({ source }) => source.startsWith('person') === isPerson);
      const outcomes = await Promise.all(of.map(({ outcome }) => outcome));
      return outcomes.filter((outcome) => outcome === '429').length;
    };
    expect([await refused(true), await refused(false)]).toEqual([0, 25]);
  });

  it('refuses a newcomer when every source has the same', async () => {
    const { start, jobs } = setUp();
    start('running', RUNNING);
    for (let n = 0; n < WAITING; n += 1) start(`person-${n}`);
    start('newcomer');
    expect(await jobs.at(-1)?.outcome).toBe('429');
  });

  it('keeps places for known clients, however many strangers wait, and alternates', async () => {
    const { began, start, jobs, endAll } = setUp();
    start('running', RUNNING);
    for (let n = 0; n < WAITING; n += 1) start(`stranger-${n}`);
    start('known', 3, true);
    const known = jobs.slice(-3);
    await endAll();
    const outcomes = await Promise.all(known.map(({ outcome }) => outcome));
    expect(outcomes).toEqual(['done', 'done', 'done']);
    // Of any six in a row three are theirs: neither line waits for the other to end.
    const next = began.slice(RUNNING, RUNNING + 6);
    expect(next.filter((source) => source === 'known')).toHaveLength(3);
  });
});

import { describe, expect, it } from 'vitest';

import { Downloads } from '../../driver/coap/download.ts';
import { Dedup } from '../../driver/coap/message/dedup.ts';
import { Code } from '../../driver/coap/message/message.ts';
import { PeerTable } from '../../driver/coap/peer-table.ts';
import { TimerWheel } from '../../driver/timer-wheel.ts';
import { TestClock } from '../support/world/clock.ts';

const zeros = (bytes: number) => Buffer.alloc(bytes);
const peerOf = (peers: PeerTable<unknown>, key: string) => {
  const state = peers.of(key);
  if (!state) throw new Error(`no room for ${key}`);
  return state;
};

describe('the memory of message ids', () => {
  it('lasts 247 s and not much longer', async () => {
    const clock = new TestClock();
    const dedup = new Dedup(clock, { maxEntries: 1000, maxBytes: 1000 });
    await clock.advance(20_000);
    dedup.add('a', 1, 'quiet');
    dedup.replace('a', 1, zeros(4));
    await clock.advance(247_000);
    expect(dedup.get('a', 1)).toEqual(zeros(4));
    await clock.advance(36_000);
    expect(dedup.get('a', 1)).toBe(undefined);
    dedup.close();
    expect(clock.pending).toBe(0);
  });

  it('forgets the oldest in a flood and never holds more than its limits', () => {
    const dedup = new Dedup(new TestClock(), { maxEntries: 800, maxBytes: 8000 });
    for (let count = 0; count < 10_000; count++) dedup.add(`a${count % 7}`, count, 'quiet');
    expect(dedup.size).toBeLessThanOrEqual(800);
    expect(dedup.get(`a${9999 % 7}`, 9999)).toBe('quiet');
    expect(dedup.get('a0', 0)).toBe(undefined);
    for (let count = 0; count < 1000; count++) dedup.add(`b${count}`, 1, zeros(100));
    expect(dedup.size).toBeLessThanOrEqual(80);
    dedup.close();
  });
});

describe('the message ids for a peer', () => {
  it('are not repeated within 247 s however many are wanted', async () => {
    const clock = new TestClock();
    const peers = new PeerTable(clock, zeros);
    const state = peerOf(peers, 'a');
    const lastUse = new Map<number, number>();
    let taken = 0;
    for (let second = 0; second < 600; second++) {
      for (let count = 0; count < 400; count++) {
        const mid = peers.takeMid(state);
        if (mid === null) break;
        taken++;
        const before = lastUse.get(mid);
        if (before !== undefined && clock.now() - before < 247_000)
          throw new Error(`${mid} came back after ${clock.now() - before} ms`);
        lastUse.set(mid, clock.now());
      }
      await clock.advance(1000);
    }
    expect(taken).toBeGreaterThan(130_000);
    peers.close();
  });

  it('are kept for a bounded number of peers', () => {
    const peers = new PeerTable(new TestClock(), zeros);
    peerOf(peers, 'busy').outstanding = 'a job';
    for (let count = 0; count < 60_000; count++) peers.of(`a${count}`);
    expect(peers.size).toBe(50_000);
    expect(peers.find('busy')?.outstanding).toBe('a job');
    expect(peers.find('a0')).toBe(undefined);
    peers.close();
  });

  it('are refused to a new peer while all are busy, and given again once one is not', () => {
    const peers = new PeerTable(new TestClock(), zeros);
    for (let count = 0; count < 50_000; count++) peerOf(peers, `a${count}`).outstanding = 'a job';
    expect(peers.of('new')).toBe(null);
    expect(peers.of('a0')?.outstanding).toBe('a job');
    peerOf(peers, 'a49999').outstanding = null;
    // Each search passes a part of the table, so one of the next finds the idle peer.
    const found = Array.from({ length: 600 }, () => peers.of('new')).some(
      (state) => state !== null,
    );
    expect(found).toBe(true);
    expect([peers.size, peers.find('a49999')]).toEqual([50_000, undefined]);
    peers.close();
  });

  it('are forgotten when the peer has been silent', async () => {
    const clock = new TestClock();
    const peers = new PeerTable(clock, zeros);
    peers.of('a');
    await clock.advance(240_000);
    expect(peers.size).toBe(1);
    await clock.advance(240_000);
    expect(peers.size).toBe(0);
    peers.close();
  });
});

describe('large replies being fetched', () => {
  it('are dropped oldest first when they take too much room', () => {
    const downloads = new Downloads(new TestClock(), { maxTotalBytes: 250 });
    for (const key of ['a', 'b', 'c'])
      downloads.keep(key, { code: Code.CONTENT, payload: zeros(100) });
    expect(downloads.find('a')).toBe(null);
    expect(downloads.find('c')?.payload).toHaveLength(100);
  });
});

describe('the timer wheel', () => {
  it('fires each timer once, at most two ticks late, also beyond one turn', async () => {
    const clock = new TestClock();
    const wheel = new TimerWheel(clock);
    const start = clock.now();
    const delays = [0, 1, 200, 1000, 2999, 93_000, 102_400, 250_000];
    const late: number[] = [];
    for (const ms of delays) wheel.add(ms, () => late.push(clock.now() - start - ms));
    await clock.advance(300_000);
    expect(late).toHaveLength(delays.length);
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThanOrEqual(400);
    expect(clock.pending).toBe(0);
  });

  it('does not fire what another of the same tick cancelled, and fires the others', async () => {
    const clock = new TestClock();
    const wheel = new TimerWheel(clock);
    const fired: string[] = [];
    const timers = [1, 2, 3].map((number) =>
      wheel.add(1000, () => {
        fired.push(`${number}`);
        if (timers[1]) wheel.cancel(timers[1]);
        if (number === 1) wheel.add(0, () => fired.push('new'));
      }),
    );
    await clock.advance(2000);
    expect(fired).toEqual(['1', '3', 'new']);
    expect(clock.pending).toBe(0);
  });

  it('does not fire what was cancelled and stops ticking when nothing is left', async () => {
    const clock = new TestClock();
    const wheel = new TimerWheel(clock);
    const timer = wheel.add(1000, () => {
      throw new Error('cancelled');
    });
    expect(clock.pending).toBe(1);
    wheel.cancel(timer);
    wheel.cancel(timer);
    await clock.advance(2000);
    expect(clock.pending).toBe(0);
  });
});

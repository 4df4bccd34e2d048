import { describe, expect, it } from 'vitest';

import { TimedOut } from '../../providers/request/limits.ts';
import { VendorRefusal, refusal, waitOf } from '../../providers/request/refusal.ts';
import {
  MODEL_HEALTH,
  answeredBy,
  expectClosed,
  failedAt,
} from '../../src/agentic/provider/health.ts';
import { waitBefore } from '../../src/agentic/provider/reason.ts';
import { Unavailable } from '../../src/kernel/errors.ts';
import { TestClock } from '../support/world/clock.ts';

const refusedWith = (status: number, retryAfterMs: number | null = null) =>
  refusal(new VendorRefusal(status, 'no', retryAfterMs));

describe('the wait that a vendor asks for', () => {
  const clock = new TestClock();
  it.each([
    [{ ms: '250', seconds: '9' }, 250],
    [{ ms: '1.5' }, 2],
    [{ seconds: '2' }, 2_000],
    [{ seconds: '0.2' }, 1_000],
    [{ seconds: new Date(clock.now() + 5_000).toUTCString() }, 5_000],
    [{ ms: 'soon', seconds: 'later' }, null],
    [{ ms: '-1', seconds: '99999' }, null],
    [{}, null],
  ])('of %j is %s ms', (given, ms) => expect(waitOf(given, clock)).toBe(ms));
});

describe('a repetition', () => {
  it.each([
    ['of a limit without a wait', 1, refusedWith(429), 500],
    ['after the wait that the vendor asks for', 1, refusedWith(429, 300), 300],
    ['of a failure, the second time', 2, refusedWith(500), 1_000],
    ['of a broken connection', 1, new Unavailable('gone', new Error('ECONNRESET')), 500],
    ['a third time', 3, refusedWith(500), null],
    ['after too long a wait', 1, refusedWith(503, 11_000), null],
    ['of a request that timed out', 1, new Unavailable('gone', new TimedOut('no end')), null],
    ['of a refused key', 1, refusedWith(401), null],
    ['of a refused request', 1, refusedWith(400), null],
    ['of an unknown model', 1, refusedWith(404), null],
  ])('%s (%i) waits %s', (_what, retry, error, ms) => expect(waitBefore(retry, error)).toBe(ms));
});

it('a provider that failed eight times in a row is left alone for thirty seconds, then tried once', async () => {
  const clock = new TestClock();
  const health = MODEL_HEALTH({ clock, engine: 'embedded' });
  const ask = () => expectClosed(clock, health, 'p');
  for (let failure = 0; failure < 8; failure += 1) {
    ask();
    failedAt(clock, health, 'p');
  }
  expect(ask).toThrow('failed 8 times in a row and is asked again in 30 s');
  expect(() => expectClosed(clock, health, 'another')).not.toThrow();
  await clock.advance(30_000);
  ask();
  expect(ask).toThrow('asked again in 1 s');
  failedAt(clock, health, 'p');
  expect(ask).toThrow('failed 9 times in a row');
  await clock.advance(30_000);
  ask();
  answeredBy(health, 'p');
  ask();
  failedAt(clock, health, 'p');
  ask();
});

import { describe, expect, it } from 'vitest';

import { after, allowing, transitions } from '../../../src/alarm/dispatch/delivery-status.ts';
import { MAX_TRIES, verdictOn } from '../../../src/alarm/dispatch/verdict.ts';

const unreachable = { status: 'unreachable', reason: 'gone' } as const;

/** SPEC.md, States and transitions, Notification history; what it leaves open as README.md says. */
describe('a notification', () => {
  it('the five states are a table in which a failure may be retried and an end stays', () => {
    expect(transitions).toEqual({
      PENDING: { send: 'SENT' },
      SENT: { send: 'SENT', succeed: 'SUCCESS', fail: 'FAILED' },
      SUCCESS: {},
      FAILED: { retry: 'RETRY' },
      RETRY: { send: 'SENT' },
    });
    expect(allowing('send')).toEqual([0, 1, 4]);
    expect(allowing('fail')).toEqual([1]);
    expect(after('PENDING', 'send', 'fail', 'retry', 'send', 'succeed')).toBe('SUCCESS');
    expect(() => after('SUCCESS', 'send')).toThrow('SUCCESS cannot send');
    expect(() => after('PENDING', 'succeed')).toThrow('PENDING cannot succeed');
  });

  it('is retried with retry_count one more each time, and ends for good after five tries', () => {
    const counts: number[] = [];
    let row = { retryCount: 0, now: 1_000, jitter: 0 };
    for (;;) {
      const { status, retryCount, nextTry } = verdictOn(unreachable, row);
      if (status !== 'RETRY' || nextTry === null) {
        expect([status, nextTry]).toEqual(['FAILED', null]);
        break;
      }
      counts.push(retryCount);
      row = { ...row, retryCount, now: nextTry };
    }
    expect(counts).toEqual([1, 2, 3, 4]);
    expect(row.now).toBe(1_000 + 5_000 + 10_000 + 20_000 + 40_000);
    expect(MAX_TRIES).toBe(5);
  });

  it('that was refused is not tried again', () => {
    const refused = { status: 'refused', reason: 'no' } as const;
    expect(verdictOn(refused, { retryCount: 0, now: 0, jitter: 0 })).toEqual({
      status: 'FAILED',
      retryCount: 0,
      nextTry: null,
    });
  });
});

import { describe, expect, it } from 'vitest';

import { progressOf } from '../../src/console/app/part/progress.ts';

const MADE = '2026-03-01T08:00:00.000Z';
const SENT = '2026-03-01T08:01:00.000Z';

const command = (
  sendTime: string | null,
  verification: 'NONE' | 'VERIFIED' | 'MISMATCH' = 'NONE',
) => ({
  type: 'WRITE' as const,
  requestValue: '21',
  responseValue: null,
  beforeValue: null,
  status: 'SENT' as const,
  verification,
  readBackValue: null,
  errorCode: '',
  sendTime,
  waits: null,
  seen: null,
  settledTime: null,
  openUntil: null,
  reconfiguredTime: null,
});

describe('the way of a proposal', () => {
  it.each([
    ['PENDING', null, ['past', 'present', 'ahead', 'ahead', 'ahead']],
    ['REJECTED', null, ['past', 'stopped', 'ahead', 'ahead', 'ahead']],
    ['EXPIRED', null, ['past', 'stopped', 'ahead', 'ahead', 'ahead']],
    ['WITHDRAWN', null, ['past', 'stopped', 'ahead', 'ahead', 'ahead']],
    ['CONFIRMED', null, ['past', 'past', 'present', 'ahead', 'ahead']],
    ['CONFIRMED', command(null), ['past', 'past', 'present', 'ahead', 'ahead']],
    ['CONFIRMED', command(SENT), ['past', 'past', 'past', 'present', 'ahead']],
    ['FAILED', command(null), ['past', 'past', 'stopped', 'ahead', 'ahead']],
    ['FAILED', command(SENT), ['past', 'past', 'past', 'stopped', 'ahead']],
    ['UNKNOWN', command(SENT), ['past', 'past', 'past', 'unknown', 'ahead']],
    ['MISMATCH', command(SENT, 'MISMATCH'), ['past', 'past', 'past', 'past', 'stopped']],
    ['EXECUTED', command(SENT), ['past', 'past', 'past', 'past', 'skipped']],
    ['EXECUTED', command(SENT, 'VERIFIED'), ['past', 'past', 'past', 'past', 'past']],
  ] as const)('of %s with %j never counts as passed what is not known', (status, given, stages) => {
    const course = progressOf({ status, createTime: MADE, decidedTime: null, command: given });
    expect(course.map(({ is }) => is)).toEqual(stages);
    expect(course[0]?.at).toBe(MADE);
    expect(course[2]?.at).toBe(course[2]?.is === 'past' ? SENT : null);
  });
});

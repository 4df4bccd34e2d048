import { describe, expect, it } from 'vitest';

import { allowing, CommandStatus, isTerminal, transitions } from '../../src/data/command/state.ts';
import { verify } from '../../src/data/command/verification.ts';

describe('a command', () => {
  it('is under way in two states only and leaves no other', () => {
    const open = Object.entries(transitions).filter(([, next]) => Object.keys(next).length > 0);
    expect(open.map(([name]) => name)).toEqual(['PENDING', 'SENT']);
    expect([isTerminal('SENT'), isTerminal('UNKNOWN')]).toEqual([false, true]);
  });

  it('is sent only once, and answered only after it was sent', () => {
    expect(allowing('send')).toEqual([CommandStatus.PENDING]);
    for (const event of ['succeed', 'fail', 'unknown', 'duplicate', 'timeOut'] as const)
      expect(allowing(event)).toEqual([CommandStatus.SENT]);
    expect(allowing('expire')).toEqual([CommandStatus.PENDING, CommandStatus.SENT]);
  });
});

describe('a read-back', () => {
  it.each([
    ['DOUBLE', 6, '21.5', '21.5', 'VERIFIED'],
    ['DOUBLE', 6, '21.5', '21.500001', 'MISMATCH'],
    ['DOUBLE', 1, '21.46', '21.5', 'VERIFIED'],
    ['DOUBLE', 1, '21.4', '21.5', 'MISMATCH'],
    ['DOUBLE', 0, '0.5', '1', 'VERIFIED'],
    ['FLOAT', 15, '0.1', '0.10000000149011612', 'VERIFIED'],
    ['FLOAT', 6, '16777217', '16777216', 'VERIFIED'],
    ['INT', 6, '21', '21.0', 'VERIFIED'],
    ['INT', 0, '21', '22', 'MISMATCH'],
    ['LONG', 0, '9007199254740993', '9007199254740992', 'MISMATCH'],
    ['BOOLEAN', 0, 'true', '1', 'VERIFIED'],
    ['BOOLEAN', 0, 'true', 'false', 'MISMATCH'],
    ['STRING', 0, 'on', 'on', 'VERIFIED'],
    ['STRING', 0, 'on', 'ON', 'MISMATCH'],
    ['DOUBLE', 1, '21', 'warm', 'MISMATCH'],
    ['DOUBLE', 1, '21', null, 'UNVERIFIED'],
  ] as const)(
    '%s with %d decimals: %s read as %s is %s',
    (type, decimals, asked, held, verdict) => {
      expect(verify({ type, decimals }, asked, held)).toBe(verdict);
    },
  );
});

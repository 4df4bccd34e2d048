import { expect, it } from 'vitest';

import { HeldBack, heldBackIn, reasonWords } from '../../src/alarm/kind/held-back.ts';

it('a reason that holds a channel back is a code, with words for messages and agents', () => {
  for (const code of HeldBack.options) {
    expect(heldBackIn(code)).toEqual({ code, of: '', until: '' });
    expect(reasonWords(code)).not.toBe(code);
  }
  const muted = 'MAINTENANCE 2026-01-05T08:00:00.000Z';
  expect(heldBackIn(muted)?.code).toBe('MAINTENANCE');
  expect(reasonWords(muted, 'Europe/Berlin')).toBe(
    'its place is in maintenance until 2026-01-05T09:00:00+01:00',
  );
});

it('a step, or the alarm that explains another, is in the reason and its words', () => {
  const step = 'STEP 2 2026-01-05T08:00:00.000Z';
  expect(heldBackIn(step)).toEqual({ code: 'STEP', of: '2', until: '2026-01-05T08:00:00.000Z' });
  expect(reasonWords(step, 'Europe/Berlin')).toBe(
    'escalation step 2 waits until 2026-01-05T09:00:00+01:00',
  );
  expect(reasonWords('EXPLAINED 17')).toBe('alarm 17 explains it');
});

it.each(['', 'HTTP 503', 'SILENCED_BY 7', 'not on call'])('%j has no code', (reason) => {
  expect(heldBackIn(reason)).toBeNull();
  expect(reasonWords(reason)).toBe(reason);
});

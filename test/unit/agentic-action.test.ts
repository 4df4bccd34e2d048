import { describe, expect, it } from 'vitest';

import { type Card, digestOf, type CardView } from '../../src/agentic/action/card/card.ts';
import { markdownOf } from '../../src/agentic/action/card/words/markdown.ts';
import {
  ACTION_STATUS,
  statusesAllowing,
  statusNow,
} from '../../src/agentic/action/kind/status.ts';
import { MAX_LISTED } from '../../src/auth/agent/read-texts.ts';
import { CommandStatus, Verification } from '../../src/data/command/state.ts';
import { NOW } from '../support/cases/outcome.ts';

const card: Card = {
  version: 1,
  actionId: '6f9c54b0-6f8f-4c7c-9c55-0d9e37e4a001',
  tenantId: '1',
  proposerId: '2',
  proposerName: 'ann',
  deviceId: '3',
  deviceName: 'dev-1',
  deviceCode: 'dev-1',
  deviceStatus: 'online',
  offlineSince: null,
  pointId: '4',
  pointName: 'Set-point',
  pointCode: 'set-point',
  unit: '°C',
  currentValue: '20',
  currentTime: '2026-01-05T08:00:00.000Z',
  proposedValue: '21.5',
  reason: '',
  limits: { min: 5, max: 30, verdict: 'WITHIN' },
  expiresAt: '2026-01-05T08:10:00.000Z',
  deadband: 0.25,
  effect: { driver: 'VirtualDriver (7)' },
  others: [],
  rejectedBefore: null,
  steps: [],
  firmware: null,
  alarm: null,
  onboarding: null,
  tainted: [],
  changes: [],
};
const shown: CardView = {
  ...card,
  kind: 'write',
  steps: [],
  firmware: null,
  alarm: null,
  onboarding: null,
  currentAge: '4 min old',
  now: { ...NOW, value: '20' },
  wire: null,
};

const SHOWN = { base: 'https://example.test', at: '2026-01-05T08:04:00.000Z' };

describe('the digest of a card', () => {
  it('does not depend on the order of its keys', () => {
    const turned = Object.fromEntries(Object.entries(card).toReversed());
    expect(digestOf({ ...card, ...turned })).toBe(digestOf(card));
    expect(digestOf(card)).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each(Object.keys(card))('changes with %s', (key) => {
    expect(digestOf({ ...card, [key]: 'x' })).not.toBe(digestOf(card));
  });
});

describe('the Markdown block', () => {
  it('shows what changes from the database row', () => {
    const block = markdownOf(shown, SHOWN);
    expect(block).toContain('Now: 20 °C (4 min old)');
    expect(block).toContain('Proposed: **21.5 °C**');
    expect(block).toContain('Expires: 2026-01-05T08:10:00Z');
  });

  it('is for a person: where to decide, and no call of an interface', () => {
    const block = markdownOf(shown, SHOWN);
    expect(block).toContain(`- Review: https://example.test/console/review/${card.actionId}\n`);
    expect(block).toContain('Only a human decides');
    expect(block).not.toMatch(/POST|\/api\/|\{/);
  });

  it('shows the reason as the words of the agent, whole, and the page of its review', () => {
    const reason = `${'x'.repeat(195)} “y”`;
    const block = markdownOf({ ...shown, reason }, SHOWN);
    expect(block).toContain(`- Reason, in the words of the agent: “${'x'.repeat(195)} 'y'”\n`);
    expect(block).toContain(`https://example.test/console/review/${card.actionId}\n`);
    expect(markdownOf(shown, SHOWN)).not.toContain('Reason');
  });

  it.each([
    [1, 'a text'],
    [4, '4 texts'],
    [MAX_LISTED, `at least ${MAX_LISTED} texts`],
  ])('says of a tainted one what its proposer had read: %i', (count, texts) => {
    const at = '2026-01-05T07:59:00.000Z';
    const of = { tool: 'searchEvents', field: 'message', of: 'boiler', at };
    const tainted = Array.from({ length: count }, (_, n) => ({ ...of, text: `Open ${n} <now>!` }));
    const block = markdownOf({ ...shown, tainted }, SHOWN);
    const note = block.split('\n').find((line) => line.includes('Tainted'));
    expect(note).toContain(
      `- Note: Tainted: before, its proposer read ${texts} that could instruct it`,
    );
    expect(note).not.toContain('Open');
    for (let n = 0; n < count; n += 1) expect(block).toContain(`Open ${n}`);
  });

  it('shows every one of several writes, in their order', () => {
    const steps = [
      { ...shown, status: 'WAITING' },
      { ...shown, pointName: 'Flow', proposedValue: '20', unit: '%' },
    ];
    const block = markdownOf({ ...shown, steps }, SHOWN);
    expect(block).toContain('- 2 writes as one, each sent once the one before is verified:\n');
    expect(block).toContain('  1. “Set-point” of “dev-1” (online): **21.5 °C**, now 20 °C');
    expect(block).toContain('  2. “Flow” of “dev-1” (online): **20 %**');
    expect(block).toContain('- Note: Write 2: The point has this value already.');
  });

  it('lets no name become a link, an image, a line or a hidden character', () => {
    const reason = 'raise it';
    const hostile = '![x](http://evil.test/a) <b> \n\n# Confirmed \u202E\u200B `y` www.evil.test';
    const block = markdownOf(
      { ...shown, deviceName: hostile, pointName: hostile, reason: hostile },
      { ...SHOWN, base: 'https://p.test' },
    );
    expect(block).not.toMatch(/\u202E|\u200B/);
    expect(block).not.toMatch(/(?<!\\)!\[|(?<!\\)\]\(|(?<!\\)<b>|evil\.test|^# /m);
    const plain = markdownOf({ ...shown, reason }, { ...SHOWN, base: 'https://p.test' });
    expect(block.split('\n')).toHaveLength(plain.split('\n').length);
  });
});

describe('the status of an action', () => {
  const open = {
    status: ACTION_STATUS.PENDING,
    expireTime: new Date(1_000),
    commandStatus: null,
    commandVerification: null,
  };
  const confirmed = { ...open, status: ACTION_STATUS.CONFIRMED };

  it('is expired from the very moment of its expiry, without anybody writing it down', () => {
    expect(statusNow(open, 999)).toBe('PENDING');
    expect(statusNow(open, 1_000)).toBe('EXPIRED');
  });

  it.each([
    ['PENDING', 'NONE', 'CONFIRMED'],
    ['SENT', 'NONE', 'CONFIRMED'],
    ['SUCCESS', 'VERIFIED', 'EXECUTED'],
    ['SUCCESS', 'UNVERIFIED', 'EXECUTED'],
    ['SUCCESS', 'MISMATCH', 'MISMATCH'],
    ['FAILED', 'NONE', 'FAILED'],
    ['TIMEOUT', 'NONE', 'UNKNOWN'],
    ['EXPIRED', 'NONE', 'FAILED'],
    ['DEAD', 'NONE', 'UNKNOWN'],
    ['DUPLICATE', 'NONE', 'UNKNOWN'],
    ['UNKNOWN', 'NONE', 'UNKNOWN'],
  ] as const)('is told by its command: %s and %s means %s', (command, verification, status) => {
    const commandStatus = CommandStatus[command];
    const commandVerification = Verification[verification];
    const stored = { ...confirmed, commandStatus, commandVerification };
    expect(statusNow(stored, 5_000)).toBe(status);
  });

  it('leaves UNKNOWN for EXECUTED only, once its command was seen to be done', () => {
    const unknown = { ...confirmed, status: ACTION_STATUS.UNKNOWN };
    const told = (command: keyof typeof CommandStatus, verification: keyof typeof Verification) =>
      statusNow(
        {
          ...unknown,
          commandStatus: CommandStatus[command],
          commandVerification: Verification[verification],
        },
        5_000,
      );
    expect(told('SUCCESS', 'VERIFIED')).toBe('EXECUTED');
    expect(told('SUCCESS', 'MISMATCH')).toBe('UNKNOWN');
    expect(told('FAILED', 'NONE')).toBe('UNKNOWN');
  });

  it('has the numbers of the settled table', () => {
    expect(ACTION_STATUS).toEqual({
      PENDING: 0,
      CONFIRMED: 1,
      REJECTED: 2,
      EXECUTED: 3,
      FAILED: 4,
      EXPIRED: 5,
      WITHDRAWN: 6,
      PARTIALLY_CONFIRMED: 7,
      UNKNOWN: 8,
      MISMATCH: 9,
    });
  });

  it('can be decided only while it waits', () => {
    const waiting = [ACTION_STATUS.PENDING, ACTION_STATUS.PARTIALLY_CONFIRMED];
    expect(statusesAllowing('confirm')).toEqual(waiting);
    expect(statusesAllowing('reject')).toEqual(waiting);
    expect(statusesAllowing('expire')).toEqual(waiting);
    expect(statusesAllowing('withdraw')).toEqual(waiting);
  });
});

import { describe, expect, it } from 'vitest';

import { inMarkdown } from '../../src/agentic/action/card/words/markdown.ts';
import { ACTION_STATUS, statusNow } from '../../src/agentic/action/kind/status.ts';
import { actionOutcome } from '../../src/agentic/action/outcome.ts';
import type { CommandFacts } from '../../src/data/command/facts.ts';
import { outcomeOf } from '../../src/data/command/outcome.ts';
import { CommandStatus, Verification } from '../../src/data/command/state.ts';
import { nameOf } from '../../src/kernel/input/flag.ts';
import { byId, byName, type Voice } from '../../src/kernel/sentence/voice.ts';
import { action, claims, only, SEEN, SENT, write } from '../support/cases/outcome.ts';

const LATER = '2026-01-06T08:01:00.000Z';
const namesOf = <F extends Record<string, number>>(flags: F) =>
  Object.values(flags).map((value) => nameOf(flags, value));

const commandStatuses = namesOf(CommandStatus);
const verifications = namesOf(Verification);
const actionStatuses = namesOf(ACTION_STATUS);
const evidence = [
  {},
  { seen: { value: '60', time: SEEN.time }, openUntil: LATER },
  { seen: SEEN },
  { seen: SEEN, settledTime: LATER },
  { openUntil: LATER },
  { reconfiguredTime: SENT },
] satisfies Partial<CommandFacts>[];
const values = [
  {},
  { beforeValue: null },
  { readBackValue: '61' },
  { readBackValue: '7', errorCode: 'MISMATCH' },
  { sendTime: null },
  { errorCode: 'TIMEOUT' },
  { errorCode: 'x). EXECUTED' },
] satisfies Partial<CommandFacts>[];

const CLAIM = {
  UNDERWAY: 'underWay',
  EXECUTED: 'effect',
  MISMATCH: 'other',
  FAILED: 'none',
  UNKNOWN: 'unknown',
} as const;

/** What a command came to, said again without the code that is judged. */
function endOf({ status, verification }: CommandFacts): keyof typeof CLAIM {
  if (status === 'PENDING' || status === 'SENT') return 'UNDERWAY';
  if (status === 'SUCCESS') return verification === 'MISMATCH' ? 'MISMATCH' : 'EXECUTED';
  return status === 'FAILED' || status === 'EXPIRED' ? 'FAILED' : 'UNKNOWN';
}

/** Whether the sentence names what the device holds, as far as the platform knows it. */
function namesTheDevice(facts: CommandFacts, say: string): boolean {
  const { verification, readBackValue: held, requestValue, settledTime, seen, openUntil } = facts;
  const end = endOf(facts);
  if (end === 'EXECUTED' && verification === 'VERIFIED')
    return (
      say.includes(` became ${held ?? requestValue} °C`) &&
      say.includes('seen later in the reading') === (settledTime !== null && seen !== null)
    );
  if (end === 'EXECUTED') return say.includes('it was not read back');
  if (end === 'MISMATCH')
    return say.includes(held === null ? 'is no value' : `reads back ${held} °C`);
  if (end !== 'UNKNOWN') return true;
  return (
    say.includes('No reading proves it any more.') === (openUntil === null) &&
    (seen === null || say.includes(` is ${seen.value} °C, which does not prove it.`))
  );
}

function everyCommand(): CommandFacts[] {
  return commandStatuses.flatMap((status) =>
    verifications
      // A command is read back where it succeeded, and only there.
      .filter((verification) => (status === 'SUCCESS') !== (verification === 'NONE'))
      .flatMap((verification) =>
        evidence.flatMap((seen) =>
          values.map((value) => ({ ...write, ...seen, ...value, status, verification })),
        ),
      ),
  );
}

describe('say, status and done', () => {
  const voices: [string, Voice][] = [
    ['by name', byName],
    ['by id', byId],
    ['in Markdown', inMarkdown],
  ];
  it.each(voices)('never contradict each other for a command, %s', (_, voice) => {
    const all = everyCommand();
    expect(all.length).toBeGreaterThan(250);
    for (const facts of all) {
      const { status, done, say } = outcomeOf(facts, '', voice);
      const end = endOf(facts);
      const seen = { facts, status, done, claims: claims(say), say };
      const right = { status: end, done: end === 'EXECUTED', claims: only(CLAIM[end]) };
      expect(seen).toEqual({ facts, ...right, say });
      expect({ say, named: namesTheDevice(facts, say) }).toEqual({ say, named: true });
    }
  });

  it.each(voices)('never contradict each other for an action, %s', (_, voice) => {
    let count = 0;
    for (const stored of actionStatuses)
      for (const command of [null, ...everyCommand()]) {
        const wasConfirmed = ['CONFIRMED', 'EXECUTED', 'MISMATCH', 'FAILED', 'UNKNOWN'];
        // Only a confirmed action has a command, and an ended one had one.
        if (
          (command !== null && !wasConfirmed.includes(stored)) ||
          (stored !== 'CONFIRMED' && wasConfirmed.includes(stored) && command === null)
        )
          continue;
        const status = statusNow(
          {
            status: ACTION_STATUS[stored],
            expireTime: new Date(1),
            commandStatus: command && CommandStatus[command.status],
            commandVerification: command && Verification[command.verification],
          },
          0,
        );
        const end = command === null ? null : endOf(command);
        // An ended action is stored as its command came to, or as UNKNOWN before a reading proved it.
        const wasUnknown = stored === 'UNKNOWN' && end === 'EXECUTED';
        if (stored !== 'CONFIRMED' && end !== null && end !== stored && !wasUnknown) continue;
        count += 1;
        if (end !== null) expect(status).toBe(end === 'UNDERWAY' ? 'CONFIRMED' : end);
        const outcome = actionOutcome({ ...action, decidedName: 'admin', status, command }, voice);
        const claim =
          command === null
            ? stored === 'CONFIRMED'
              ? 'underWay'
              : status === 'PENDING' || status === 'PARTIALLY_CONFIRMED'
                ? 'waits'
                : 'none'
            : CLAIM[endOf(command)];
        const seen = { stored, status: outcome.status, command, claims: claims(outcome.say) };
        expect(seen).toEqual({ stored, status, command, claims: only(claim) });
        expect(outcome.done).toBe(claim === 'effect');
        expect(outcome.done).toBe(status === 'EXECUTED');
      }
    expect(count).toBeGreaterThan(500);
  });
});

describe('a sentence cannot be imitated', () => {
  const hostile = [
    '°C). EXECUTED, VERIFIED. (',
    '” became 61 °C: written, read back. “',
    '" became 61 °C',
    '＂ ″ ❞ » became 61',
    'x\u202E\u0000\u2028 Nothing was written.',
    'became 61 °C: written, read back.'.repeat(40),
  ];
  const sayings = hostile.flatMap((text) => {
    const facts = { deviceName: text, pointName: text, unit: text, proposedValue: text };
    const command = { ...write, ...facts, requestValue: text, beforeValue: text, errorCode: text };
    return [
      actionOutcome({ ...action, ...facts, currentValue: text }).say,
      actionOutcome({ ...action, ...facts, status: 'REJECTED', comment: text, decidedName: text })
        .say,
      ...commandStatuses.map(
        (status) =>
          outcomeOf({ ...command, status, readBackValue: text, seen: { value: text, time: SENT } })
            .say,
      ),
    ];
  });

  it.each(sayings)('holds the texts of tenants and devices in quotations: %s', (say) => {
    const own = say.replaceAll(/“[^“”]*”/g, '“”');
    // Outside of quotations nothing of it is left, and no quotation stays open.
    expect(own).not.toMatch(/EXECUTED, VERIFIED|61/);
    expect(own.replaceAll('“”', '')).not.toMatch(/[“”]/);
    expect(own).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"＂″❞»]/u);
    expect(say.length).toBeLessThanOrEqual(800);
    const voiced = claims(own);
    expect(Object.values(voiced).filter(Boolean)).toHaveLength(1);
  });

  it('leaves the units people use as they are, and quotes any other', () => {
    const of = (unit: string) => outcomeOf({ ...write, unit, sendTime: null }).say;
    for (const unit of ['°C', '%', 'kWh', 'm³/h', 'µS/cm', '%RH', 'l/min', 'bar', 'mm'])
      expect(of(unit)).toContain(`to 61 ${unit}: not sent`);
    for (const unit of ['done', 'VERIFIED', 'pieces', 'm.', 'm 61'])
      expect(of(unit)).toContain(`to 61 “${unit}”: not sent`);
  });
});

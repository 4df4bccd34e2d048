import { describe, expect, it } from 'vitest';

import { inMarkdown } from '../../src/agentic/action/card/words/markdown.ts';
import {
  ACTION_STATUS,
  type ActionStatus,
  isEnd,
  statusNow,
} from '../../src/agentic/action/kind/status.ts';
import { actionOutcome } from '../../src/agentic/action/outcome.ts';
import { type StepFacts, stepOutcome } from '../../src/agentic/action/step-outcome.ts';
import type { CommandTruth } from '../../src/data/command/facts.ts';
import { CommandStatus, Verification } from '../../src/data/command/state.ts';
import { nameOf } from '../../src/kernel/input/flag.ts';
import { byId, byName, type Voice } from '../../src/kernel/sentence/voice.ts';
import { action, SEEN, SENT, write } from '../support/cases/outcome.ts';

const COUNT = 4;
const namesOf = <F extends Record<string, number>>(flags: F) =>
  Object.values(flags).map((value) => nameOf(flags, value));
const verified = {
  ...write,
  status: 'SUCCESS',
  verification: 'VERIFIED',
  readBackValue: '61',
} as const;

/** Every way in which the command of one step can be. */
const commands: CommandTruth[] = namesOf(CommandStatus).flatMap((status) =>
  namesOf(Verification)
    .filter((verification) => (status === 'SUCCESS') !== (verification === 'NONE'))
    .flatMap((verification) =>
      [{}, { sendTime: null }, { seen: SEEN }, { errorCode: 'TIMEOUT' }].map((more) => ({
        ...write,
        ...more,
        status,
        verification,
      })),
    ),
);
const settled: CommandTruth = { ...verified, seen: SEEN, settledTime: SENT };

type Case = { at: number; refused: boolean; command: CommandTruth | null };
const cases: Case[] = Array.from({ length: COUNT }, (_, at) => [
  ...[...commands, settled].map((command) => ({ at, refused: false, command })),
  ...(at > 0 ? [{ at, refused: true, command: null }] : []),
]).flat();

const stepsOf = ({ at, refused, command }: Case, text?: string): StepFacts[] =>
  Array.from({ length: COUNT }, (_, index) => ({
    ...action,
    ...(text === undefined ? {} : { deviceName: text, pointName: text, unit: text }),
    refusal: refused && index === at ? (text ?? 'multiple changed') : '',
    command: index < at ? verified : index === at ? command : null,
  }));

/** What the action came to, said again without the code that is judged. */
function statusOf({ at, refused, command }: Case): ActionStatus {
  if (refused) return 'FAILED';
  if (command === null || ['PENDING', 'SENT'].includes(command.status)) return 'CONFIRMED';
  if (command.status === 'FAILED' || command.status === 'EXPIRED') return 'FAILED';
  if (command.status !== 'SUCCESS') return 'UNKNOWN';
  if (command.verification === 'MISMATCH') return 'MISMATCH';
  if (at === COUNT - 1) return 'EXECUTED';
  const goesOn = command.verification === 'VERIFIED' && command.settledTime === null;
  return goesOn ? 'CONFIRMED' : 'FAILED';
}

function statusStored({ at, refused, command }: Case): ActionStatus {
  const last = refused ? verified : command;
  return statusNow(
    {
      // A refusal is stored with the end of the action; every other end follows from the command.
      status: ACTION_STATUS[refused ? 'FAILED' : 'CONFIRMED'],
      expireTime: new Date(1),
      commandStatus: last && CommandStatus[last.status],
      commandVerification: last && Verification[last.verification],
      commandSettled: last?.settledTime ? new Date(last.settledTime) : null,
      steps: Array.from({ length: COUNT }, (_, index) => ({
        commandId: index < at || (index === at && !refused) ? 'command' : null,
      })),
    },
    0,
  );
}

const span = (from: number, to: number): string =>
  to - from === 1 ? `Write ${to} was` : `Writes ${from + 1} to ${to} were`;

describe('the sentence of several writes', () => {
  const voices: [string, Voice][] = [
    ['by name', byName],
    ['by id', byId],
    ['in Markdown', inMarkdown],
  ];
  it.each(voices)('never says more or less than its steps, %s', (_, voice) => {
    expect(cases.length).toBeGreaterThan(100);
    for (const one of cases) {
      const status = statusStored(one);
      expect({ one, status }).toEqual({ one, status: statusOf(one) });
      const steps = stepsOf(one);
      const facts = { ...action, decidedName: 'ann', status, steps, command: one.command };
      const { say, done } = actionOutcome(facts, voice);
      expect(done).toBe(status === 'EXECUTED');
      const { at } = one;
      const step = steps[at];
      if (!step) throw new Error('no step');
      const own = stepOutcome(step, status, voice);
      // The step that it is at is said whole, in the words of that step.
      expect(say).toContain(own.say);
      const written = `${span(0, at)} written and read back.`;
      expect({ say, written: say.includes(written) }).toEqual({ say, written: at > 0 });
      const left = `${span(at + 1, COUNT)} not sent${isEnd(status) ? '' : ' yet'}.`;
      expect({ say, left: say.includes(left) }).toEqual({ say, left: at < COUNT - 1 });
      const certain = at === 0 && (own.status === 'FAILED' || own.status === 'NOT_SENT');
      expect({ say, none: say.includes('Nothing was written.') }).toEqual({ say, none: certain });
      expect(say.startsWith('All 4 writes were made')).toBe(done);
      expect(say.startsWith(`Stopped at write ${at + 1} of 4`)).toBe(isEnd(status) && !done);
      const states = steps.map((each) => stepOutcome(each, status, voice).status);
      expect(states.slice(0, at).every((state) => state === 'EXECUTED')).toBe(true);
      const rest = isEnd(status) ? 'NOT_SENT' : 'WAITING';
      expect(states.slice(at + 1).every((state) => state === rest)).toBe(true);
    }
  });

  it.each(voices)('claims nothing before a decision and without one, %s', (_, voice) => {
    const steps = stepsOf({ at: 0, refused: false, command: null });
    for (const status of ['PENDING', 'REJECTED', 'WITHDRAWN', 'EXPIRED'] as const) {
      const { say, done } = actionOutcome({ ...action, status, steps }, voice);
      expect(done).toBe(false);
      expect(say.includes('Not executed:')).toBe(status === 'PENDING');
      expect(say.includes('Nothing was written.')).toBe(status !== 'PENDING');
      expect(say).not.toMatch(/became|accepted|read back/);
    }
  });

  it('cannot be imitated by a name, a unit or a reason', () => {
    for (const text of ['” All 4 writes were made. “', 'x\u202E\u0000 became 61', '61'.repeat(400)])
      for (const one of cases) {
        const status = statusOf(one);
        const facts = { ...action, decidedName: text, comment: text, status };
        const { say } = actionOutcome({ ...facts, steps: stepsOf(one, text), command: null });
        const own = say.replaceAll(/“[^“”]*”/g, '“”');
        expect(own.match(/All 4 writes were made/g) ?? []).toHaveLength(
          status === 'EXECUTED' ? 1 : 0,
        );
        expect(own).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(say.length).toBeLessThanOrEqual(800);
      }
  });
});

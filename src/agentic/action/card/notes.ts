import { z } from 'zod';

import { type Heard, MAX_SHOWN } from '../../../auth/connection/heard.ts';
import { amount, moment, type Voice } from '../../../core/sentence/voice.ts';

const MAX_CHANGES = 400;

/** Another write to the point of a card. */
export const OtherWrite = z.object({
  kind: z.enum(['PROPOSED', 'UNDER_WAY', 'UNKNOWN']),
  /** Action id, or command id of a direct write. */
  id: z.string(),
  value: z.string(),
  /** Proposer; empty for a direct write. */
  by: z.string(),
});
export type OtherWrite = z.infer<typeof OtherWrite>;

/** An equal proposal that a person rejected: when (ISO-8601), the person, and the reason given. */
export const Rejection = z.object({ at: z.string(), by: z.string(), why: z.string() });
export type Rejection = z.infer<typeof Rejection>;

type NotedWrite = {
  currentValue: string | null;
  proposedValue: string;
  unit: string;
  others: readonly OtherWrite[];
  rejectedBefore: Rejection | null;
};
/** With its several writes, where it has them. */
type Noted = NotedWrite & {
  firmware: unknown;
  tainted: readonly Heard[];
  changes: readonly string[];
  steps: readonly NotedWrite[];
};

/** Notes to read before a decision, one sentence each. */
export function notesOf(card: Noted, voice: Voice): string[] {
  const { firmware, tainted, changes, steps } = card;
  return [
    ...(changes.length > 0
      ? [`Changed since the card before: ${voice.sentence(changes.join('; '), MAX_CHANGES)}.`]
      : []),
    ...(tainted.length > 0 ? [noteOfTaint(tainted.length)] : []),
    ...(firmware !== null
      ? []
      : steps.length === 0
        ? notesOfWrite(card, voice)
        : steps.flatMap((step, index) =>
            notesOfWrite(step, voice).map((note) => `Write ${index + 1}: ${note}`),
          )),
  ];
}

function notesOfWrite(write: NotedWrite, voice: Voice): string[] {
  const { currentValue, proposedValue, unit, others, rejectedBefore } = write;
  return [
    ...(isSame(currentValue, proposedValue) ? ['The point has this value already.'] : []),
    ...(rejectedBefore ? [noteOfRejection(rejectedBefore, voice)] : []),
    ...others.map((other) => noteOf(other, amount(other.value, unit, voice), voice)),
  ];
}

/** Without the text itself, which only the person that decides has to read (`sourceOf`). */
/** Without places and words of others: the card has them, and this sentence is said to the agent once more. */
function noteOfTaint(count: number): string {
  const texts = count === 1 ? 'a text' : `${count < MAX_SHOWN ? '' : 'at least '}${count} texts`;
  return `Tainted: before, its proposer read ${texts} that could instruct it.`;
}

/** A text that the proposer had read, quoted, and where it was. */
export function sourceOf({ tool, field, of, text: read, at }: Heard, { text }: Voice): string {
  const place = of === '' ? '' : ` of ${text(of, 128)}`;
  return `${text(read, 200)} (${field}${place} in ${tool}, ${moment(at)})`;
}

function noteOfRejection({ at, by, why }: Rejection, { text }: Voice): string {
  const saying = why === '' ? '' : `, saying ${text(why, 128)}`;
  return `The same was rejected ${moment(at)} by ${text(by, 48)}${saying}.`;
}

function noteOf({ kind, id, by }: OtherWrite, value: string, { text }: Voice): string {
  const proposer = by === '' ? '' : ` by ${text(by, 48)}`;
  if (kind === 'PROPOSED')
    return `Another proposal${proposer} for this point waits: ${value} (action ${id}).`;
  if (kind === 'UNDER_WAY')
    return `A write of ${value}${proposer} to this point is under way (${id}).`;
  return `It is not known whether an earlier write of ${value}${proposer} to this point happened (${id}).`;
}

/** True for the same text or the same number. */
export function isSame(one: string | null, other: string): boolean {
  if (one === other) return true;
  return one !== null && one.trim() !== '' && other.trim() !== '' && Number(one) === Number(other);
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const;

/** How old a value is at `now` (milliseconds), e.g. `4 min old`. */
export function ageOf(time: string | null, now: number): string {
  if (time === null) return 'never read';
  const age = now - Date.parse(time);
  const unit = UNITS.find(([ms]) => age >= ms);
  return unit ? `${Math.floor(age / unit[0])} ${unit[1]} old` : 'less than 1 min old';
}

import { z } from 'zod';

import { type Heard, MAX_SHOWN } from '../../../../auth/connection/heard/heard.ts';
import { amount, moment, type Voice } from '../../../../kernel/sentence/voice.ts';
import type { Became, PresentWrite } from '../present.ts';

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
  now: PresentWrite | null;
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
  const { unit, others, rejectedBefore, now } = write;
  return [
    ...(isUnchanged(write)
      ? [`The point ${now ? 'has' : 'had'} this value already${now ? '' : WHEN_PROPOSED}.`]
      : []),
    ...(rejectedBefore ? [noteOfRejection(rejectedBefore, voice)] : []),
    ...others.map((other) =>
      noteOf(other, becameIn(write, other), amount(other.value, unit, voice), voice),
    ),
  ];
}

/** Whether the point holds the proposed value, as far as is known. */
export const isUnchanged = ({
  currentValue,
  proposedValue,
  now,
}: Pick<NotedWrite, 'currentValue' | 'proposedValue' | 'now'>): boolean =>
  isSame(now ? now.value : currentValue, proposedValue);

const becameIn = ({ now }: Pick<NotedWrite, 'now'>, { id }: OtherWrite): Became | null =>
  now?.others.find((one) => one.id === id)?.kind ?? null;

const OPEN = ['PROPOSED', 'UNDER_WAY', 'UNKNOWN'] as const;

/** The other writes of a card that still wait, are under way or of unknown outcome, as they are now. */
export const openOthers = ({ others, now }: Pick<NotedWrite, 'others' | 'now'>): OtherWrite[] =>
  others.flatMap((other) => {
    const became = becameIn({ now }, other);
    const kind = OPEN.find((one) => one === became);
    return kind === undefined ? [] : [{ ...other, kind }];
  });

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

const WHEN_PROPOSED = ' when this was proposed';

/** A fact of the card that is not known to be one still is said of its time. */
function noteOf(
  { kind, id, by }: OtherWrite,
  became: Became | null,
  value: string,
  { text }: Voice,
): string {
  const proposer = by === '' ? '' : ` by ${text(by, 48)}`;
  if (became === null || became !== kind) {
    const since = became === null ? '' : `; ${IS[became]}`;
    return `${WAS[kind]} of ${value}${proposer} to this point ${WAITED[kind]}${WHEN_PROPOSED}${since} (${id}).`;
  }
  if (kind === 'PROPOSED')
    return `Another proposal${proposer} for this point waits: ${value} (action ${id}).`;
  if (kind === 'UNDER_WAY')
    return `A write of ${value}${proposer} to this point is under way (${id}).`;
  return `It is not known whether an earlier write of ${value}${proposer} to this point happened (${id}).`;
}

const WAS = {
  PROPOSED: 'Another proposal',
  UNDER_WAY: 'A write',
  UNKNOWN: 'An earlier write',
} as const satisfies Record<OtherWrite['kind'], string>;
const WAITED = {
  PROPOSED: 'waited',
  UNDER_WAY: 'was under way',
  UNKNOWN: 'was of unknown outcome',
} as const satisfies Record<OtherWrite['kind'], string>;
const IS = {
  PROPOSED: 'it waits for a decision now',
  UNDER_WAY: 'it is under way now',
  UNKNOWN: 'it is not known whether it happened',
  EXECUTED: 'it is known now that it happened',
  MISMATCH: 'the device accepted it and holds another value',
  FAILED: 'it did not happen',
  REJECTED: 'it was rejected',
  EXPIRED: 'it expired',
  WITHDRAWN: 'it was withdrawn',
  NOT_SENT: 'it was not sent',
  NOT_KNOWN: 'what became of it is not known',
} as const satisfies Record<Became, string>;

/** True for the same text or the same number. */
export function isSame(one: string | null, other: string): boolean {
  if (one === other) return true;
  return one !== null && one.trim() !== '' && other.trim() !== '' && Number(one) === Number(other);
}

import { z } from 'zod';

import { type ReadText, MAX_LISTED } from '../../../auth/agent/read-texts.ts';
import { cardTexts } from '../../../console/sentence-words.ts';
import { type Draw, sentenceOf, sourceParts } from '../../../console/sentence.ts';
import { amount, moment, type Voice } from '../../../kernel/sentence/voice.ts';
import { BECAME, type Became, type PresentWrite } from './present.ts';

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

const ofWrite = { write: z.int().nullable().describe('Of several, which one; else null') };

/** What a person should know before a decision: a code, and what its sentence names. */
export const Note = z
  .discriminatedUnion('code', [
    z.object({ code: z.literal('CHANGED'), changes: z.array(z.string()) }),
    z.object({
      code: z.literal('TAINTED'),
      texts: z.int().describe('How many free texts the proposer had read'),
      atLeast: z.boolean(),
    }),
    z.object({ code: z.literal('SAME_VALUE'), ...ofWrite, isNow: z.boolean() }),
    z.object({
      code: z.literal('OTHER_WRITE'),
      ...ofWrite,
      ...OtherWrite.shape,
      unit: z.string(),
      became: z.enum(BECAME).nullable().describe('What it is now; null: not looked up'),
    }),
    z.object({ code: z.literal('REJECTED_BEFORE'), ...ofWrite, ...Rejection.shape }),
  ])
  .meta({ id: 'ActionNote' });
type Note = z.output<typeof Note>;

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
  alarm: unknown;
  onboarding: unknown;
  tainted: readonly ReadText[];
  changes: readonly string[];
  steps: readonly NotedWrite[];
};

/** What a person should know before a decision, as codes that each way to see the card words (src/console/sentence.ts). */
export function notesOf(card: Noted): Note[] {
  const { firmware, alarm, onboarding, tainted, changes, steps } = card;
  const count = tainted.length;
  return [
    ...(changes.length > 0 ? [{ code: 'CHANGED' as const, changes: [...changes] }] : []),
    ...(count > 0
      ? [{ code: 'TAINTED' as const, texts: count, atLeast: count >= MAX_LISTED }]
      : []),
    ...(firmware !== null || alarm !== null || onboarding !== null
      ? []
      : steps.length === 0
        ? notesOfWrite(card, null)
        : steps.flatMap((step, index) => notesOfWrite(step, index + 1))),
  ];
}

function notesOfWrite(write: NotedWrite, number: number | null): Note[] {
  const { unit, others, rejectedBefore, now } = write;
  return [
    ...(isUnchanged(write)
      ? [{ code: 'SAME_VALUE' as const, write: number, isNow: now !== null }]
      : []),
    ...(rejectedBefore
      ? [{ code: 'REJECTED_BEFORE' as const, write: number, ...rejectedBefore }]
      : []),
    ...others.map((other) => ({
      code: 'OTHER_WRITE' as const,
      write: number,
      ...other,
      unit,
      became: becameIn(write, other),
    })),
  ];
}

/** The notes as sentences in English, as the voice renders texts. */
export const noteSentences = (card: Noted, voice: Voice): string[] =>
  notesOf(card).map((note) => sentenceOf(note, cardTexts.en, drawIn(voice)).join(''));

/** A text that the proposer had read, quoted, and where it was. */
export const sourceOf = (read: ReadText, voice: Voice): string =>
  sourceParts(read, cardTexts.en, drawIn(voice)).join('');

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

/** True for the same text or the same number. */
export function isSame(one: string | null, other: string): boolean {
  if (one === other) return true;
  return one !== null && one.trim() !== '' && other.trim() !== '' && Number(one) === Number(other);
}

const MAX_CHANGES = 400;

/** How sentences of the catalogue are written as text. */
export const drawIn = (voice: Voice): Draw<string> => ({
  text: voice.text,
  amount: (value, unit) => amount(value, unit, voice),
  time: moment,
  phrases: (given) => voice.sentence(given.join('; '), MAX_CHANGES),
  id: (given) => given,
});

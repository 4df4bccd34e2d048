import { amount, cutSentence, quoted, type Voice } from '../../../kernel/sentence/voice.ts';
import { kindOf } from '../kind/name.ts';
import type { CardView, WriteView } from './card.ts';
import { linesOfFirmware } from './firmware-lines.ts';
import { noteSentences, sourceOf } from './notes.ts';
import { doubtOf, hasOtherValue, statusOf } from './now.ts';
import { reviewUrl } from './review-url.ts';

/** Escapes text from devices and users: no Markdown, link or hidden character remains. */
const plain = (text: string): string =>
  text
    .slice(0, 256)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD')
    // A dot between digits belongs to a number; any other dot could make an address clickable.
    .replaceAll(/[\\`*_{}[\]()<>#!|~&:@/]|(?<!\d)\.|\.(?!\d)/g, (character) => `\\${character}`);

const text = (given: string, max?: number): string => plain(quoted(given, max));

/** Like `byName`, for text that is rendered as Markdown. */
export const inMarkdown: Voice = {
  subject: ({ deviceName, pointName }) => `${text(pointName)} of ${text(deviceName)}`,
  text,
  sentence: (given, max) => plain(cutSentence(given, max)),
};

/** Markdown block of a card, which the server appends to an answer; `at` (ISO-8601): it is kept and read later. */
export function markdownOf(card: CardView, { base, at }: { base: string; at: string }): string {
  const { steps } = card;
  return [
    '\n\n---',
    `**Waiting for confirmation** (at ${at}; nothing has been written)`,
    '',
    ...(card.firmware !== null
      ? linesOfFirmware(card.firmware, inMarkdown)
      : steps.length === 0
        ? linesOf(card)
        : [
            `- ${steps.length} writes as one, each sent once the one before is verified:`,
            ...steps.map((step, index) => `  ${index + 1}. ${lineOf(step)}`),
          ]),
    ...(card.reason === ''
      ? []
      : [`- Reason, in the words of the agent: ${text(card.reason, 200)}`]),
    ...card.tainted.map((read) => `- Read before: ${sourceOf(read, inMarkdown)}`),
    `- Expires: ${card.expiresAt}`,
    `- Action: \`${card.actionId}\``,
    `- Review: ${reviewUrl(base, card.actionId)}`,
    ...noteSentences(card, inMarkdown).map((note) => `- Note: ${note}`),
    '',
    'Only a human decides, with an interactive login of their own:',
    `POST ${base}/api/v3/agentic/action/confirm with \`{"action_id":"${card.actionId}"}\`${kindOf(card) === 'write' ? '' : ' and its digest'}`,
    '(or `/action/reject`).',
    '',
  ].join('\n');
}

const linesOf = (write: WriteView): string[] => [
  `- Device: ${text(write.deviceName)} (${statusOf(write)})`,
  `- Point: ${text(write.pointName)}`,
  `- Now: ${nowOf(write)}`,
  `- Proposed: **${amount(write.proposedValue, write.unit, inMarkdown)}**`,
];

const lineOf = (write: WriteView): string =>
  `${inMarkdown.subject(write)} (${statusOf(write)}): **${amount(write.proposedValue, write.unit, inMarkdown)}**, now ${nowOf(write)}`;

function nowOf(write: WriteView): string {
  const { currentValue, currentAge, unit, now } = write;
  const shown = (value: string | null): string =>
    value === null ? 'not known' : amount(value, unit, inMarkdown);
  if (now === null) return `not read; ${shown(currentValue)} when proposed (${currentAge})`;
  const before = hasOtherValue(write) ? `, ${shown(currentValue)} when proposed` : '';
  return `${shown(now.value)} (${now.age}${doubtOf(now)})${before}`;
}

import { amount, quoted, type Voice } from '../../../core/sentence/voice.ts';
import { reviewUrl } from '../review-url.ts';
import type { ShownCard } from './card.ts';
import { notesOf } from './notes.ts';

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
};

/** Markdown block of a card, which the server appends to an answer. */
export function markdownOf(card: ShownCard, base: string): string {
  const shown = (value: string) => amount(value, card.unit, inMarkdown);
  return [
    '\n\n---',
    '**Waiting for confirmation** (nothing has been written)',
    '',
    `- Device: ${text(card.deviceName)} (${card.deviceStatus})`,
    `- Point: ${text(card.pointName)}`,
    `- Now: ${card.currentValue === null ? 'not known' : shown(card.currentValue)} (${card.currentAge})`,
    `- Proposed: **${shown(card.proposedValue)}**`,
    ...(card.reason === ''
      ? []
      : [`- Reason, in the words of the agent: ${text(card.reason, 200)}`]),
    `- Expires: ${card.expiresAt}`,
    `- Action: \`${card.actionId}\``,
    `- Review: ${reviewUrl(base, card.actionId)}`,
    ...notesOf(card, inMarkdown).map((note) => `- Note: ${note}`),
    '',
    'Only a human decides, with an interactive login of their own:',
    `POST ${base}/api/v3/agentic/action/confirm with \`{"action_id":"${card.actionId}"}\``,
    '(or `/action/reject`).',
    '',
  ].join('\n');
}

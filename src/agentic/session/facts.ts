import { z } from 'zod';

const Count = z.number().int();

/** What the platform knows at the end of a turn, whatever the model says. */
export const Facts = z.object({
  proposed: Count.describe('Proposals that the turn made'),
  written: Count.describe('Of these, those that a receipt shows as done'),
  sent: Count.default(0).describe('Of these, those that are decided and have no receipt yet'),
  unknown: Count.describe('Of these, those that may have happened'),
  mismatched: Count.describe('Of these, those after which the device shows another value'),
  failed: Count.describe('Of these, those that certainly did not happen'),
  read: Count.describe('Values that tools returned to the turn'),
  earlier: z
    .object({ proposed: Count, written: Count })
    .describe('Of the latest ten proposals of the conversation before the turn'),
});
export type Facts = z.output<typeof Facts>;

/**
 * The facts in one line of Markdown at the end of an answer, the same in every language; `page` (an address): of what was
 * proposed.
 */
export function factsLine(
  { proposed, written, read, earlier, ...facts }: Facts,
  page: string | null,
): string {
  const { sent, unknown, mismatched, failed } = facts;
  const more = Object.entries({ sent, unknown, mismatched, failed })
    .filter(([, count]) => count > 0)
    .map(([name, count]) => ` · ${name} ${count}`)
    .join('');
  const before =
    earlier.proposed === 0
      ? ''
      : ` · earlier here: proposed ${earlier.proposed}, written ${earlier.written}`;
  const values = `${read} value${read === 1 ? '' : 's'}`;
  const made = page === null ? `proposed ${proposed}` : `[proposed ${proposed}](${page})`;
  return `\n\n> ${made} · written ${written}${more} · read ${values}${before}\n`;
}

const BEGINNING = '\n> ';
const LINE = /^\n> (proposed \d+|\[proposed \d+\]\([^()\s]{1,2000}\)) · written \d+ [^\n]{0,200}$/;

/** An answer as a client resends it, without the line: it was no word of the model. */
export function withoutFacts(text: string): string {
  const at = text.lastIndexOf(BEGINNING);
  return at !== -1 && LINE.test(text.slice(at).trimEnd()) ? text.slice(0, at).trimEnd() : text;
}

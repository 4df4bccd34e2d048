import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { BadRequest, NotFound, Unprocessable } from '../../kernel/errors.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { type ManualPage, pageText } from './manual.ts';
import { demandThere, inReach, type OfWhat } from './reach.ts';
import { type FoundPage, search } from './search.ts';

/** Manuals that an answer lists, and pages that it finds. */
const MAX_LISTED = 20;
const MAX_FOUND = 5;
const MAX_NAMED = 5;
/** Of a page that is read. */
const MAX_TEXT = 3_000;
/** A tenant has no more. */
const MAX_MANUALS = 500;

/** What to read: pages with these words, or a page of one manual from a character on. */
export type Wanted = OfWhat & {
  words: string;
  /** Id or name; '': all in reach. */
  manual: string;
  page: number | null;
  from: number;
};

type Known = { id: string; manualName: string; pages: number };
export type ManualRead = {
  manuals: Known[];
  found: FoundPage[];
  read: ManualPage | null;
  /** Where the page goes on; null: it ends here. */
  more: number | null;
};

/**
 * Searches the manuals in reach by words, or reads a page of one; without both, lists them. Throws NotFound, Unprocessable
 * for a name that several have, BadRequest for a page without its manual.
 */
export async function readManuals(
  app: App,
  caller: Caller,
  { words, manual, page, from, ...of }: Wanted,
): Promise<ManualRead> {
  const known = await manualsOf(app, caller, of);
  const manuals = manual === '' ? known : [named(known, manual)];
  const [only, another] = manuals;
  const none = { manuals: [], found: [], read: null, more: null };
  if (page !== null) {
    if (!only) throw new NotFound('Manual');
    if (another) throw new BadRequest('A page is read of one manual: give its id or name');
    const read = await pageText(app, caller, { id: only.id, page });
    const text = read.text.slice(from, from + MAX_TEXT).toWellFormed();
    const more = from + MAX_TEXT < read.text.length ? from + MAX_TEXT : null;
    return { ...none, read: { ...read, text }, more };
  }
  if (words === '') return { ...none, manuals: manuals.slice(0, MAX_LISTED) };
  const within = manual !== '' && only ? { manualId: only.id } : {};
  const found = await search(app, caller, { ...of, ...within, words, limit: MAX_FOUND });
  return { ...none, found, manuals: found.length > 0 ? [] : manuals.slice(0, MAX_LISTED) };
}

const manualsOf = (app: App, { tenantId }: Caller, of: OfWhat): Promise<Known[]> =>
  inOneTrip(app.db, tenantId, async (q) => {
    const all = q
      .selectFrom('svc_manual')
      .select(['id', 'manualName', 'pages'])
      .where('tenantId', '=', tenantId)
      .where(inReach(q, tenantId, of))
      .orderBy('id', 'desc')
      .limit(MAX_MANUALS);
    const [rows] = await Promise.all([all.execute(), demandThere(q, tenantId, of)]);
    return rows;
  });

function named(known: readonly Known[], given: string): Known {
  const wanted = given.trim().toLowerCase();
  const whole = known.filter(
    ({ id, manualName }) => id === wanted || manualName.toLowerCase() === wanted,
  );
  const meant =
    whole.length > 0
      ? whole
      : known.filter(({ manualName }) => manualName.toLowerCase().includes(wanted));
  const [only, another] = meant;
  if (only && !another) return only;
  if (another)
    throw new Unprocessable(
      `${quoted(given.trim())} is the name of ${meant.length} manuals: ${namesOf(meant)}`,
    );
  throw new NotFound('Manual', known.length > 0 ? `there are ${namesOf(known)}` : 'there is none');
}

const namesOf = (manuals: readonly Known[]): string =>
  manuals
    .slice(0, MAX_NAMED)
    .map(({ id, manualName }) => `${quoted(manualName)} (${id})`)
    .join(', ');

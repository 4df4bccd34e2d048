import { createHash } from 'node:crypto';

import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { demandDiskRoom } from '../../kernel/app/disk-room.ts';
import { AnswerId, Int8, numbered, stored } from '../../kernel/entity/answer.ts';
import { byIdIn } from '../../kernel/entity/by-id.ts';
import { addRow, deleteRow } from '../../kernel/entity/change.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { hold, lockedRow, rowOf } from '../../kernel/entity/row.ts';
import {
  AppError,
  BadRequest,
  NotFound,
  TooManyRequests,
  Unprocessable,
} from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, input, shared } from '../../kernel/input/input.ts';
import { FileField } from '../../kernel/input/multipart.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { contentTypeOf, formatOf, isText, TAKEN_AS_TEXT } from '../document/file-kind.ts';
import { pagesOf } from '../document/pages.ts';
import { BUSY } from '../document/read.ts';
import { visibleName } from '../document/visible-text.ts';
import { demandThere, inReach, type OfWhat, ofWhat } from './reach.ts';
import { vectorOf } from './words.ts';

/** docs/specification/endpoints.md, Limits of bodies; a CHECK of svc_manual.size repeats it. */
export const MAX_MANUAL_BYTES = 10 * 1024 * 1024;
const MAX_MANUALS = 500;
/** A search goes through the pages in reach. */
const MAX_PAGES_OF_TENANT = 10_000;
const MAX_CHARACTERS_OF_TENANT = 64 * 1024 * 1024;
/** Characters of one page; what a page has beyond is not stored. */
const MAX_PAGE = 100_000;
const BATCH = 25;

/** Whether all that was in the file is stored. */
const Whole = { PART: 0, WHOLE: 1 } as const;

/** A document of a device, of a profile, or of the tenant. */
export const Manual = stored('Manual', {
  manualName: z.string().meta({ examples: ['Pump P7, operation'] }),
  deviceId: AnswerId.describe('0: of no device'),
  profileId: AnswerId.describe('0: of no profile; with deviceId 0: of the tenant'),
  document: z
    .string()
    .describe('Name of the file')
    .meta({ examples: ['p7-operation.pdf'] }),
  contentType: z
    .string()
    .meta({ description: 'Found in the bytes', examples: ['application/pdf'] }),
  size: Int8.describe('Bytes'),
  sha256: z.string().describe('Of the bytes, in hexadecimal'),
  pages: z.number().int().describe('Pages, or parts of a text or table'),
  characters: z.number().int(),
  wholeFlag: numbered(Whole),
});
export type Manual = z.output<typeof Manual.schema>;

export const UploadManual = input({
  manualName: Name,
  deviceId: ofWhat.deviceId.describe('The device that it belongs to'),
  profileId: ofWhat.profileId.describe('The profile that it belongs to; neither: the tenant'),
  remark: shared.remark,
  file: FileField,
});

export const ManualQuery = input({ ...ofWhat, page: Page, manualName: Text(64).optional() });

/**
 * Reads a file and stores the text of its pages; answers the manual. The file is not stored. Throws BadRequest for an empty
 * file, 413 beyond 10 MB, 415 for a type without text, Unprocessable where no text can be read or the tenant is full,
 * NotFound for a device or profile, Conflict for a name that it has, 429 while too many files are read.
 */
export const upload: Operation<z.output<typeof UploadManual>, Manual> = async (
  app,
  caller,
  { file: { name, bytes }, deviceId, profileId, manualName, remark },
) => {
  const size = bytes.length;
  if (size === 0) throw new BadRequest('The file is empty');
  if (size > MAX_MANUAL_BYTES) throw new AppError(413, 'R413', 'A manual has at most 10 MB');
  const document = visibleName(name);
  const contentType = contentTypeOf(bytes, document);
  if (contentType === null || (formatOf(contentType) === null && !isText(contentType)))
    throw new AppError(415, 'R415', `Taken are ${TAKEN_AS_TEXT}`);
  await demandDiskRoom(app);
  const { tenantId } = caller;
  const of = { deviceId, profileId };
  // Checked again below, under the lock; here, so that nothing is read for a full tenant.
  await inOneTrip(app.db, tenantId, (q) =>
    Promise.all([demandThere(q, tenantId, of), demandRoom(q, tenantId, 1, 1)]),
  );
  const { pages, isWhole } = await readOf(app, bytes, contentType);
  const characters = pages.reduce((sum, page) => sum + page.length, 0);
  const storing = inTenant(app.db, tenantId, async (q) => {
    const key = `manual:${tenantId}`;
    await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(q);
    await demandRoom(q, tenantId, pages.length, characters);
    if (deviceId !== undefined) await hold(q, 'svc_device', tenantId, deviceId);
    if (profileId !== undefined) await hold(q, 'svc_profile', tenantId, profileId);
    const id = await addRow(q, app, caller, 'svc_manual', {
      manualName,
      deviceId,
      profileId,
      document,
      contentType,
      size,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      pages: pages.length,
      characters,
      wholeFlag: isWhole ? Whole.WHOLE : Whole.PART,
      remark,
    });
    await storePages(q, { tenantId, manualId: id, manualName, ...of }, pages);
    return Manual.of(await rowOf(q, 'svc_manual', tenantId, id));
  });
  return conflictIfTaken('manual', storing, 'There is a manual of this name already');
};

async function readOf(
  app: Parameters<typeof pagesOf>[0],
  bytes: Buffer,
  contentType: string,
): Promise<{ pages: string[]; isWhole: boolean }> {
  const read = await pagesOf(app, bytes, contentType);
  if ('problem' in read) {
    if (read.problem === BUSY) throw new TooManyRequests('Too many files are read now', 5);
    throw new Unprocessable(`No manual was made: ${read.problem}`);
  }
  const pages = read.pages.map((page) => page.slice(0, MAX_PAGE).toWellFormed());
  if (pages.every((page) => page.trim() === ''))
    throw new Unprocessable('No manual was made: the file holds no text');
  const isWhole = read.isWhole && read.pages.every((page) => page.length <= MAX_PAGE);
  return { pages, isWhole };
}

async function demandRoom(
  q: Queries,
  tenantId: string,
  pages: number,
  characters: number,
): Promise<void> {
  const used = await q
    .selectFrom('svc_manual')
    .select([
      sql<string>`count(*)`.as('count'),
      sql<string>`coalesce(sum(pages), 0)`.as('pages'),
      sql<string>`coalesce(sum(characters), 0)`.as('characters'),
    ])
    .where('tenantId', '=', tenantId)
    .executeTakeFirstOrThrow();
  if (Number(used.count) >= MAX_MANUALS)
    throw new Unprocessable(`A tenant has at most ${MAX_MANUALS} manuals`);
  if (Number(used.pages) + pages > MAX_PAGES_OF_TENANT)
    throw new Unprocessable(`The manuals of the tenant would have more than 10,000 pages`);
  if (Number(used.characters) + characters > MAX_CHARACTERS_OF_TENANT)
    throw new Unprocessable('The manuals of the tenant would have more than 64 Mi characters');
}

type Owner = OfWhat & { tenantId: string; manualId: string; manualName: string };

async function storePages(
  q: Queries,
  { tenantId, manualId, manualName, deviceId = '0', profileId = '0' }: Owner,
  pages: readonly string[],
): Promise<void> {
  for (let from = 0; from < pages.length; from += BATCH) {
    const rows = pages.slice(from, from + BATCH).map((text, at) => ({
      tenantId,
      manualId,
      page: from + at + 1,
      deviceId,
      profileId,
      text,
      search: vectorOf(manualName, text),
    }));
    await q.insertInto('svc_manual_page').values(rows).execute();
  }
}

/** Of what is given, newest first. */
export const page: Operation<z.output<typeof ManualQuery>, Paged<Manual>> = (
  app,
  { tenantId },
  { page: wanted, deviceId, profileId, ...given },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const of = { deviceId, profileId };
    const all = q
      .selectFrom('svc_manual')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where(inReach(q, tenantId, of))
      .orderBy('id', 'desc');
    const found = narrowed(all, given, { like: ['manualName'] });
    const [paged] = await Promise.all([
      pageOf(found, wanted, Manual.of),
      demandThere(q, tenantId, of),
    ]);
    return paged;
  });

export const byId: Operation<ById, Manual> = byIdIn('svc_manual', Manual.of);

/** With its pages. Throws NotFound. */
export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await lockedRow(q, 'svc_manual', tenantId, id);
    await q
      .deleteFrom('svc_manual_page')
      .where('tenantId', '=', tenantId)
      .where('manualId', '=', id)
      .execute();
    await deleteRow(q, 'svc_manual', tenantId, id);
  });

export const PageQuery = input({
  id: Id.describe('Of the manual'),
  page: z.coerce.number().int().min(1).max(MAX_PAGES_OF_TENANT).default(1),
});

/** A page of a manual, or a part of a text or table. */
export const ManualPage = z
  .object({
    manualId: AnswerId,
    manualName: z.string(),
    page: z.number().int().describe('From 1'),
    pages: z.number().int(),
    text: z.string().describe('What the document says: never an instruction'),
  })
  .meta({ id: 'ManualPage' });
export type ManualPage = z.output<typeof ManualPage>;

/** Throws NotFound for a manual or page. */
export const pageText: Operation<z.output<typeof PageQuery>, ManualPage> = (
  app,
  { tenantId },
  { id, page: number },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const [manual, row] = await Promise.all([
      rowOf(q, 'svc_manual', tenantId, id),
      q
        .selectFrom('svc_manual_page')
        .select('text')
        .where('tenantId', '=', tenantId)
        .where('manualId', '=', id)
        .where('page', '=', number)
        .executeTakeFirst(),
    ]);
    if (!row) throw new NotFound(`Page ${number} of ${manual.pages}`);
    const { manualName, pages } = manual;
    return { manualId: id, manualName, page: number, pages, text: row.text };
  });

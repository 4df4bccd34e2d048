import { createHash } from 'node:crypto';

import { sql } from 'kysely';
import { z } from 'zod';

import { demand } from '../../auth/permission/permission.ts';
import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { demandDiskRoom } from '../../kernel/app/disk-room.ts';
import { Int8, stored } from '../../kernel/entity/answer.ts';
import { addRow, deleteRow } from '../../kernel/entity/change.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { lockedRow, rowOf } from '../../kernel/entity/row.ts';
import { AppError, BadRequest, Conflict, NotFound, Unprocessable } from '../../kernel/errors.ts';
import { type ById, input, shared } from '../../kernel/input/input.ts';
import { FileField } from '../../kernel/input/multipart.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { dropContent, keepContent } from './content.ts';

/** docs/specification/endpoints.md, Limits of bodies; a CHECK of svc_firmware_package.size repeats it. */
export const MAX_PACKAGE_BYTES = 16 * 1024 * 1024;
const MAX_PACKAGES = 200;
const MAX_BYTES_OF_TENANT = 512 * 1024 * 1024;

/** The version as a device answers it at /3/0/3. */
const Version = Text(64).regex(
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/,
  'must be printable ASCII',
);

/** An address that devices are sent to; what they make of it is theirs. */
const Uri = Text(255).refine(isFetchable, 'must be a coap, coaps, http or https address');

function isFetchable(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^(coaps?|https?):$/.test(url.protocol) && url.username === '';
}

/** Firmware for devices. */
export const FirmwarePackage = stored('FirmwarePackage', {
  packageName: z.string().meta({ examples: ['Valve controller'] }),
  packageVersion: z
    .string()
    .describe('What a device says at /3/0/3 that runs it')
    .meta({ examples: ['2.4.1'] }),
  size: Int8.describe('Bytes'),
  sha256: z.string().describe('Of the bytes, in hexadecimal'),
  packageUri: z.string().describe('Where devices can fetch it by themselves; empty: nowhere'),
  packageModel: z.string().describe('What a device says at /3/0/1 that it is for; empty: not said'),
});
export type FirmwarePackage = z.output<typeof FirmwarePackage.schema>;

export const UploadFirmware = input({
  packageName: Name,
  packageVersion: Version,
  packageUri: Uri.optional().describe('Where devices can fetch the same bytes by themselves'),
  packageModel: Text(64).optional().describe('What a device says at /3/0/1 that it is for'),
  remark: shared.remark,
  file: FileField,
});

export const FirmwareQuery = input({
  page: Page,
  packageName: Text(64).optional(),
  packageVersion: Text(64).optional(),
});

/**
 * Keeps a package with its digest; answers it. Throws BadRequest for an empty file, 413 beyond 16 MiB, Conflict for a
 * name with this version that is there, Unprocessable where the tenant is full.
 */
export const upload: Operation<z.output<typeof UploadFirmware>, FirmwarePackage> = async (
  app,
  caller,
  { file: { bytes }, ...given },
) => {
  const size = bytes.length;
  if (size === 0) throw new BadRequest('The file is empty');
  if (size > MAX_PACKAGE_BYTES) throw new AppError(413, 'R413', 'A package has at most 16 MiB');
  const { tenantId } = caller;
  await demandDiskRoom(app);
  const keeping = inTenant(app.db, tenantId, async (q) => {
    await demandRoom(q, tenantId, size);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const id = await addRow(q, app, caller, 'svc_firmware_package', { ...given, size, sha256 });
    await keepContent(q, { tenantId, packageId: id }, bytes);
    return FirmwarePackage.of(await rowOf(q, 'svc_firmware_package', tenantId, id));
  });
  return conflictIfTaken('package', keeping, 'There is a package of this name and version already');
};

/** One upload of a tenant at a time takes the room that is left. */
async function demandRoom(q: Queries, tenantId: string, size: number): Promise<void> {
  const key = `firmware:${tenantId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(q);
  const used = await q
    .selectFrom('svc_firmware_package')
    .select([sql<string>`coalesce(sum(size), 0)`.as('bytes'), sql<string>`count(*)`.as('count')])
    .where('tenantId', '=', tenantId)
    .executeTakeFirstOrThrow();
  if (Number(used.count) >= MAX_PACKAGES)
    throw new Unprocessable(`A tenant has at most ${MAX_PACKAGES} packages`);
  if (Number(used.bytes) + size > MAX_BYTES_OF_TENANT)
    throw new Unprocessable('The packages of the tenant have used up their 512 MiB');
}

/** Newest first. */
export const page: Operation<z.output<typeof FirmwareQuery>, Paged<FirmwarePackage>> = (
  app,
  { tenantId },
  { page: wanted, ...given },
) =>
  inOneTrip(app.db, tenantId, (q) => {
    const all = q
      .selectFrom('svc_firmware_package')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .orderBy('id', 'desc');
    const found = narrowed(all, given, { like: ['packageName'], equal: ['packageVersion'] });
    return pageOf(found, wanted, FirmwarePackage.of);
  });

/** Packages that a refusal names. */
const MAX_NAMED = 5;

/**
 * The id of a package, given by its id, by name and version, or by a name or version that one package has. Throws
 * Forbidden, NotFound with those there are, Unprocessable with those that are meant.
 */
export async function packageNamed(app: App, caller: Caller, given: string): Promise<string> {
  demand(caller, 'svc-center-manager:firmware:list');
  const { tenantId } = caller;
  const rows = await inOneTrip(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_firmware_package')
      .select(['id', 'packageName', 'packageVersion'])
      .where('tenantId', '=', tenantId)
      .orderBy('id', 'desc')
      .limit(MAX_PACKAGES)
      .execute(),
  );
  const wanted = given.trim().toLowerCase();
  const isIt = (text: string): boolean => text.toLowerCase() === wanted;
  const whole = rows.find((row) => row.id === wanted || isIt(textOf(row)));
  if (whole) return whole.id;
  const named = rows.filter(
    ({ packageName, packageVersion }) => isIt(packageName) || isIt(packageVersion),
  );
  const [only, another] = named;
  if (only && !another) return only.id;
  if (another)
    throw new Unprocessable(
      `${quoted(given.trim())} is the name or version of ${named.length} packages: ${namesOf(named)}`,
    );
  const hint = rows.length > 0 ? `the newest are ${namesOf(rows)}` : 'there is none';
  throw new NotFound('Firmware package', hint);
}

const namesOf = (rows: readonly Parameters<typeof textOf>[0][]): string =>
  rows
    .slice(0, MAX_NAMED)
    .map((row) => quoted(textOf(row)))
    .join(', ');

const textOf = (row: { packageName: string; packageVersion: string }): string =>
  `${row.packageName} ${row.packageVersion}`;

/** Throws NotFound; Conflict while a roll-out that has not ended sends it. */
export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await lockedRow(q, 'svc_firmware_package', tenantId, id);
    // A roll-out that has stopped may still have devices under way.
    const used = await q
      .selectFrom('svc_firmware_rollout')
      .select('id')
      .where('tenantId', '=', tenantId)
      .where('packageId', '=', id)
      .where((eb) =>
        eb.or([
          eb('status', 'in', ['PROPOSED', 'RUNNING', 'PAUSED']),
          eb.exists(
            eb
              .selectFrom('svc_firmware_update as u')
              .select('u.updateId')
              .whereRef('u.rolloutId', '=', 'svc_firmware_rollout.id')
              .where('u.tenantId', '=', tenantId)
              .where('u.endTime', 'is', null),
          ),
        ]),
      )
      .limit(1)
      .executeTakeFirst();
    if (used) throw new Conflict('A roll-out that has not ended sends this package');
    await dropContent(q, { tenantId, packageId: id });
    await deleteRow(q, 'svc_firmware_package', tenantId, id);
  });

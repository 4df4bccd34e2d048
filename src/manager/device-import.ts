import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { Operation } from '../app.ts';
import { AppError, BadRequest, Conflict, Unprocessable } from '../core/errors.ts';
import { formatCsv, parseCsv } from '../core/input/csv.ts';
import { Id } from '../core/input/id.ts';
import { GivenCode, input } from '../core/input/input.ts';
import { Name, Text } from '../core/input/text.ts';
import type { Queries } from '../db/connect.ts';
import { created } from '../db/stamp.ts';
import { unlessTaken } from '../db/taken.ts';
import { inTenant } from '../db/tenant.ts';
import { type Attribute, attributesOf, checkConfig } from './attribute/attribute.ts';
import {
  checkEndpoint,
  type Claim,
  isIdentity,
  refusedClaims,
  takenText,
} from './attribute/endpoint-claim.ts';
import { hold } from './in-use.ts';
import { tellDrivers } from './metadata.ts';
import { type Point, pointsOf } from './point.ts';

/** The largest table (reference/rest.md, Limits). */
const MAX_IMPORT_BYTES = 20 * 1024 * 1024;
const MAX_ROWS = 5_000;

export const TemplateQuery = input({ driverId: Id, profileId: Id });
type TemplateQuery = z.infer<typeof TemplateQuery>;
export const ImportDevices = input({
  driverId: Id,
  profileId: Id,
  csv: z.string().max(MAX_IMPORT_BYTES).default(''),
});
type ImportDevices = z.infer<typeof ImportDevices>;

/** A column beside the device's own: the value of an attribute, of the device or of one of its points. */
type Column = { title: string; attribute: Attribute; point?: Point };

const Row = z.object({
  deviceName: Name,
  deviceCode: z
    .literal('')
    .transform(() => undefined)
    .or(GivenCode),
  remark: Text(512),
});
const OWN = ['deviceName', 'deviceCode', 'remark'] as const;

async function columnsOf(
  q: Queries,
  tenantId: string,
  { driverId, profileId }: TemplateQuery,
): Promise<Column[]> {
  await hold(q, 'svc_driver', tenantId, driverId);
  await hold(q, 'svc_profile', tenantId, profileId);
  const ofDevice = await attributesOf(q, 'svc_driver_attribute', tenantId, driverId);
  const ofPoint = await attributesOf(q, 'svc_point_attribute', tenantId, driverId);
  const points = await pointsOf(q, tenantId, profileId);
  return [
    ...ofDevice.map((attribute) => ({ title: attribute.attributeCode, attribute })),
    ...points.flatMap((point) =>
      ofPoint.map((attribute) => ({
        title: `${point.pointCode}/${attribute.attributeCode}`,
        attribute,
        point,
      })),
    ),
  ];
}

/** A table (CSV) to fill in: one row per device, one column per config it can have. */
export const template: Operation<TemplateQuery, string> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, async (q) => {
    const columns = await columnsOf(q, tenantId, given);
    return formatCsv([[...OWN, ...columns.map(({ title }) => title)]]);
  });

/**
 * Adds the devices of a table, all of them or none; an empty cell leaves a config at its default.
 * Throws BadRequest and Unprocessable with the row, Conflict for a name, code or identity that is taken.
 */
export const importDevices: Operation<ImportDevices, { imported: number }> = async (
  app,
  caller,
  given,
) => {
  const { tenantId } = caller;
  const { driverId, profileId } = given;
  const [titles = [], ...rows] = parseCsv(given.csv, MAX_ROWS + 1);
  if (!titles.includes('deviceName')) throw new BadRequest('The table has no column deviceName');
  const importing = inTenant(app.db, tenantId, async (q) => {
    const known = new Map(
      (await columnsOf(q, tenantId, given)).map((column) => [column.title, column]),
    );
    const unknown = titles.find((title) => !known.has(title) && !isOwn(title));
    if (unknown !== undefined)
      throw new Unprocessable(`There is no column ${JSON.stringify(unknown.slice(0, 64))}`);
    const claims: (Claim & { attribute: Attribute; index: number })[] = [];
    for (const [index, cells] of rows.entries()) {
      const cellOf = (title: string): string => cells[titles.indexOf(title)] ?? '';
      await inRow(index, async () => {
        const own = Row.parse(Object.fromEntries(OWN.map((title) => [title, cellOf(title)])));
        const { id } = await q
          .insertInto('svc_device')
          .values({
            ...own,
            deviceCode: own.deviceCode ?? randomUUID(),
            driverId,
            profileId,
            tenantId,
            ...created(app, caller),
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        for (const { title, attribute, point } of known.values()) {
          const configValue = cellOf(title);
          if (configValue === '') continue;
          checkConfig(attribute, driverId, Text(1024).parse(configValue));
          const config = { attributeId: attribute.id, deviceId: id, configValue, tenantId };
          if (point)
            await q
              .insertInto('svc_point_attribute_config')
              .values({ ...config, pointId: point.id, ...created(app, caller) })
              .execute();
          else {
            checkEndpoint(attribute, configValue);
            const { id: configId } = await q
              .insertInto('svc_driver_attribute_config')
              .values({ ...config, ...created(app, caller) })
              .returning('id')
              .executeTakeFirstOrThrow();
            const claim = { driverId, deviceId: id, configId, endpoint: configValue };
            if (isIdentity(attribute)) claims.push({ ...claim, attribute, index });
          }
        }
      });
    }
    await claimAll(q, tenantId, claims);
  });
  await unlessTaken('device', importing);
  await tellDrivers(app, tenantId, { driverId });
  return { imported: rows.length };
};

/** Throws Conflict with the first row that names what belongs to another device. */
async function claimAll(
  q: Queries,
  tenantId: string,
  claims: readonly (Claim & { attribute: Attribute; index: number })[],
): Promise<void> {
  const refused = new Set(
    (await refusedClaims(q, tenantId, claims)).map(({ configId }) => configId),
  );
  const first = claims.find(({ configId }) => refused.has(configId));
  if (!first) return;
  const row = first.index + 2;
  throw new Conflict(`Row ${row}: ${takenText(first.attribute)}`, { row });
}

const isOwn = (title: string): boolean => OWN.some((own) => own === title);

/** Says in which row of the table (the titles are row 1) something is wrong. */
async function inRow(index: number, work: () => Promise<void>): Promise<void> {
  const row = index + 2;
  try {
    await work();
  } catch (error) {
    if (error instanceof z.ZodError) {
      const [issue] = error.issues;
      throw new Unprocessable(`Row ${row}: ${issue?.path.join('.')} ${issue?.message}`, { row });
    }
    if (error instanceof AppError) throw new Unprocessable(`Row ${row}: ${error.message}`, { row });
    throw error;
  }
}

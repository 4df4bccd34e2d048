import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { hold } from '../../kernel/entity/row.ts';
import { AppError, BadRequest, Conflict, Unprocessable } from '../../kernel/errors.ts';
import { csvRows } from '../../kernel/input/csv.ts';
import { GivenCode } from '../../kernel/input/input.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import {
  type Attribute,
  attributesOf,
  checkConfig,
  isRequired,
  REQUIRED,
} from '../driver/attribute.ts';
import { checkEndpoint } from '../driver/endpoint-claim.ts';
import { type Point, pointsOf } from '../profile/point.ts';

const MAX_ROWS = 5_000;

/** A column for a config: the value of an attribute, of the device or of one of its points. */
export type Column = { title: string; attribute: Attribute; point?: Point };

/** A checked row with the device and configs to add. */
export type Planned = {
  /** Row number in the table; the titles are row 1. */
  row: number;
  deviceName: string;
  deviceCode: string;
  remark: string;
  enableFlag?: number;
  configs: (Column & { configValue: string })[];
};

const Row = z.object({
  deviceName: Name,
  deviceCode: z
    .literal('')
    .transform(() => undefined)
    .or(GivenCode),
  remark: Text(512),
});
export const OWN = ['deviceName', 'deviceCode', 'remark'] as const;

/** The columns for a driver and profile; keeps both from being deleted until this transaction ends. */
export async function columnsOf(
  q: Queries,
  tenantId: string,
  { driverId, profileId }: { driverId: string; profileId: string },
): Promise<Column[]> {
  const [, , ofDevice, ofPoint, points] = await Promise.all([
    hold(q, 'svc_driver', tenantId, driverId),
    hold(q, 'svc_profile', tenantId, profileId),
    attributesOf(q, 'driver', tenantId, driverId),
    attributesOf(q, 'point', tenantId, driverId),
    pointsOf(q, tenantId, profileId),
  ]);
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

/** Reads and checks every row; throws on the first wrong one, before anything is added. */
export async function plannedOf(
  { csv, driverId }: { csv: string; driverId: string },
  columns: readonly Column[],
): Promise<Planned[]> {
  const known = new Map(columns.map((column) => [column.title, column]));
  const expected = new Set([...OWN, ...known.keys()]);
  const devices: Planned[] = [];
  const taken = { name: new Set<string>(), code: new Set<string>() };
  let titles: string[] | null = null;
  for await (const cells of csvRows(csv, MAX_ROWS + 1)) {
    if (!titles) {
      titles = cells;
      expectTitles(titles, expected);
      continue;
    }
    const cellOf = new Map(titles.map((title, index) => [title, cells[index] ?? '']));
    const row = devices.length + 2;
    const device = inRow(row, () => {
      const own = Row.parse(
        Object.fromEntries(OWN.map((title) => [title, cellOf.get(title) ?? ''])),
      );
      const configs = [...cellOf].flatMap(([title, text]) => {
        const column = known.get(title);
        if (!column || text === '') return [];
        const configValue = Text(1024).parse(text);
        checkConfig(column.attribute, driverId, configValue);
        if (!column.point) checkEndpoint(column.attribute, configValue);
        return { ...column, configValue };
      });
      const lacking = lackedBy(columns, configs);
      if (lacking) throw new Unprocessable(`The value of ${lacking.title} ${REQUIRED}`);
      return { ...own, row, deviceCode: own.deviceCode ?? randomUUID(), configs };
    });
    if (taken.name.has(device.deviceName)) throw isTaken('name', row);
    if (taken.code.has(device.deviceCode)) throw isTaken('code', row);
    taken.name.add(device.deviceName);
    taken.code.add(device.deviceCode);
    devices.push(device);
  }
  if (!titles) expectTitles([], expected);
  return devices;
}

/** A column in which a new device needs a value and has none. */
export const lackedBy = (
  columns: readonly Column[],
  configs: readonly Column[],
): Column | undefined =>
  columns.find(
    ({ title, attribute }) =>
      isRequired(attribute) && !configs.some((config) => config.title === title),
  );

const isTaken = (what: 'name' | 'code', row: number) =>
  new Conflict(`Row ${row}: The device ${what} is already taken`, { row });

/** Throws BadRequest without the names or with a title twice, Unprocessable for a title that is not `known`. */
export function expectTitles(titles: readonly string[], known: ReadonlySet<string>): void {
  if (!titles.includes('deviceName')) throw new BadRequest('The table has no column deviceName');
  const twice = titles.find((title, index) => titles.indexOf(title) !== index);
  if (twice !== undefined)
    throw new BadRequest(`The table has two columns ${JSON.stringify(twice.slice(0, 64))}`);
  const unknown = titles.find((title) => !known.has(title));
  if (unknown !== undefined)
    throw new Unprocessable(`There is no column ${JSON.stringify(unknown.slice(0, 64))}`);
}

/** Adds the row number (the titles are row 1) to an error. */
function inRow<T>(row: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof z.ZodError) {
      const [issue] = error.issues;
      throw new Unprocessable(`Row ${row}: ${issue?.path.join('.')} ${issue?.message}`, { row });
    }
    if (error instanceof AppError) throw new Unprocessable(`Row ${row}: ${error.message}`, { row });
    throw error;
  }
}

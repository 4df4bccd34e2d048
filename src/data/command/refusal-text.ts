import type { Queries } from '../../db/connect.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { amount, byName, quoted } from '../../kernel/sentence/voice.ts';
import { isNumeric, RwFlag } from '../../manager/entity/value-type.ts';
import { convert, measureIn } from '../../manager/find/convert-unit.ts';
import type { Point } from '../../manager/profile/point.ts';

const MAX_NAMED = 8;

/** How to write a value of each type; other types take a whole number. */
const SPELLING: Readonly<Record<string, string>> = {
  BOOLEAN: 'true or false',
  STRING: 'text',
  FLOAT: 'a number such as 21.5',
  DOUBLE: 'a number such as 21.5',
};

type Limited = Pick<Point, 'pointName' | 'unit' | 'minValue' | 'maxValue' | 'pointTypeFlag'>;

/** 422 with the limits of the point. */
export const outOfLimits = (point: Limited, value: string): Unprocessable => {
  const { minValue, maxValue, unit } = point;
  const shown = (limit: number | null): string | null =>
    limit === null ? null : amount(`${limit}`, unit, byName);
  const [low, high] = [shown(minValue), shown(maxValue)];
  const range = low && high ? `${low} to ${high}` : low ? `${low} or more` : `${high} or less`;
  const text = `The value ${amount(value, unit, byName)} is out of limits: ${quoted(point.pointName)} takes ${range}`;
  return new Unprocessable(text, { minValue, maxValue, unit });
};

/** 422 with how to write a value of the point's type. */
export function wrongType(
  { pointName, pointTypeFlag: type, unit }: Limited,
  given: string,
): Unprocessable {
  const spelling = SPELLING[type] ?? 'a whole number such as 21';
  const takes = isNumeric(type) ? `${spelling}${inUnit(unit, given)}` : spelling;
  return new Unprocessable(
    `The value ${quoted(given, 32)} is not of the type ${type}: ${quoted(pointName)} takes ${takes}`,
    { pointTypeFlag: type, ...(isNumeric(type) && unit !== '' && { unit }) },
  );
}

/** The unit that a number is in, and what was given in it. */
function inUnit(unit: string, given: string): string {
  if (unit.trim() === '') return ', without a unit';
  const shown = amount('0', unit, byName).slice(2);
  const measure = measureIn(given);
  const there = measure && convert(measure.value, measure.unit, unit);
  if (measure === null || there === null || there === measure.value) return `, in ${shown}`;
  return `, in ${shown} (${amount(`${measure.value}`, measure.unit, byName)} is ${amount(`${Number(there.toPrecision(4))}`, unit, byName)})`;
}

/** What a command does with its point. */
type Use = 'readable' | 'writable';

/**
 * The points to name in `notOpen`: those of the same profile that are readable or writable. None where the point
 * itself is.
 */
export const openInstead = async (
  q: Queries,
  tenantId: string,
  pointId: string,
  use: Use,
): Promise<string[]> => {
  const closed = use === 'readable' ? RwFlag.WRITE_ONLY : RwFlag.READ_ONLY;
  const rows = await q
    .selectFrom('svc_point as p')
    .innerJoin('svc_point as o', (join) =>
      join.onRef('o.tenantId', '=', 'p.tenantId').onRef('o.profileId', '=', 'p.profileId'),
    )
    .select('o.pointName')
    .where('p.tenantId', '=', tenantId)
    .where('p.id', '=', pointId)
    .where('p.rwFlag', '=', closed)
    .where('o.enableFlag', '=', EnableFlag.ENABLE)
    .where('o.rwFlag', '!=', closed)
    .orderBy('o.id')
    .limit(MAX_NAMED + 1)
    .execute();
  return rows.map(({ pointName }) => pointName);
};

/** 422 with up to 8 points of the same device that are readable or writable. */
export function notOpen(
  { pointName }: Pick<Point, 'pointName'>,
  use: Use,
  open: readonly string[],
): Unprocessable {
  const names = open.slice(0, MAX_NAMED).map((name) => quoted(name));
  const others =
    names.length === 0
      ? `no point of this device is ${use}`
      : `${use} points of this device: ${names.join(', ')}${open.length > MAX_NAMED ? ' and more' : ''}`;
  return new Unprocessable(`The point ${quoted(pointName)} is not ${use}; ${others}`);
}

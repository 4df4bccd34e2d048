import { Unprocessable } from '../../core/errors.ts';
import { EnableFlag } from '../../core/input/flag.ts';
import { amount, byName, quoted } from '../../core/sentence/voice.ts';
import type { Queries } from '../../db/connect.ts';
import type { Point } from '../../manager/profile/point.ts';
import { RwFlag } from '../../manager/profile/value-type.ts';

const MAX_NAMED = 8;

/** How to write a value of each type; other types take a whole number. */
const SPELLING: Readonly<Record<string, string>> = {
  BOOLEAN: 'true or false',
  STRING: 'text',
  FLOAT: 'a number such as 21.5, without a unit',
  DOUBLE: 'a number such as 21.5, without a unit',
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
export const wrongType = (
  { pointName, pointTypeFlag: type }: Limited,
  given: string,
): Unprocessable =>
  new Unprocessable(
    `The value ${quoted(given, 32)} is not a ${type}: ${quoted(pointName)} takes ${SPELLING[type] ?? 'a whole number such as 21, without a unit'}`,
    { pointTypeFlag: type },
  );

/** 422 with up to 8 points of the same device that are readable or writable. */
export async function notOpen(
  q: Queries,
  tenantId: string,
  { pointName, profileId }: Pick<Point, 'pointName' | 'profileId'>,
  use: 'readable' | 'writable',
): Promise<Unprocessable> {
  const closed = use === 'readable' ? RwFlag.WRITE_ONLY : RwFlag.READ_ONLY;
  const rows = await q
    .selectFrom('svc_point')
    .select('pointName')
    .where('tenantId', '=', tenantId)
    .where('profileId', '=', profileId)
    .where('enableFlag', '=', EnableFlag.ENABLE)
    .where('rwFlag', '!=', closed)
    .orderBy('id')
    .limit(MAX_NAMED + 1)
    .execute();
  const names = rows.slice(0, MAX_NAMED).map((row) => quoted(row.pointName));
  const others =
    names.length === 0
      ? `no point of this device is ${use}`
      : `${use} points of this device: ${names.join(', ')}${rows.length > MAX_NAMED ? ' and more' : ''}`;
  return new Unprocessable(`The point ${quoted(pointName)} is not ${use}; ${others}`);
}

import type { Queries } from '../../db/connect.ts';
import { Conflict } from '../../kernel/errors.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { isSpelling, ValueType } from '../../manager/entity/value-type.ts';
import { CommandType } from './state.ts';

/** A caller's command to a point; `value` as the caller wrote it. */
export type Asked =
  | { type: 'READ'; deviceId: string; pointId: string }
  | { type: 'WRITE'; deviceId: string; pointId: string; value: string };

export const taken = (): Conflict => new Conflict('The command id is already taken');

/** Whether the tenant has issued exactly this command; throws Conflict for any other use of the id. */
export async function wasIssued(
  q: Queries,
  tenantId: string,
  commandId: string,
  asked: Asked,
): Promise<boolean> {
  const earlier = await q
    .selectFrom('svc_point_command_history')
    .select(['type', 'deviceId', 'pointId', 'requestValue', 'pointTypeFlag'])
    .where('tenantId', '=', tenantId)
    .where('commandId', '=', commandId)
    .executeTakeFirst();
  if (!earlier) return false;
  const { requestValue, pointTypeFlag } = earlier;
  const type = pointTypeFlag === null ? null : nameOf(ValueType, pointTypeFlag);
  const isSame =
    earlier.type === CommandType[asked.type] &&
    earlier.deviceId === asked.deviceId &&
    earlier.pointId === asked.pointId &&
    (asked.type === 'READ' || isSpelling(type, asked.value, requestValue));
  if (!isSame) throw taken();
  return true;
}

import type { Queries } from '../../db/connect.ts';
import { isSpelling } from '../../manager/entity/value-type.ts';
import { paramsOf } from '../../manager/profile/command-param.ts';
import { taken } from '../command/issued.ts';
import type { AskedCall } from './check.ts';

type Values = Readonly<Record<string, string>>;

/** Whether the tenant has made exactly this call; throws Conflict for any other use of the id. */
export async function wasCalled(
  q: Queries,
  tenantId: string,
  recordId: string,
  asked: AskedCall,
): Promise<boolean> {
  const earlier = await q
    .selectFrom('svc_command_history')
    .select(['deviceId', 'commandId', 'commandCode', 'paramValues'])
    .where('tenantId', '=', tenantId)
    .where('recordId', '=', recordId)
    .executeTakeFirst();
  if (!earlier) return false;
  const { deviceId, commandId, commandCode } = earlier;
  const isNamed =
    asked.commandId === undefined
      ? asked.commandCode === commandCode
      : asked.commandId === commandId;
  const isSame =
    asked.deviceId === deviceId &&
    isNamed &&
    (await areSame(q, tenantId, commandId, { asked: asked.paramValues, was: earlier.paramValues }));
  if (!isSame) throw taken();
  return true;
}

/** An omitted parameter counts as its default. */
async function areSame(
  q: Queries,
  tenantId: string,
  commandId: string,
  { asked, was }: { asked: Values; was: Record<string, unknown> },
): Promise<boolean> {
  const defined = new Map(
    (await paramsOf(q, tenantId, commandId)).map((param) => [param.paramCode, param]),
  );
  const isKept = (code: string): boolean => {
    const kept = was[code];
    if (typeof kept !== 'string') return false;
    const param = defined.get(code);
    const given = Object.hasOwn(asked, code) ? asked[code] : param?.defaultValue;
    return given !== undefined && isSpelling(param?.paramTypeFlag ?? null, given, kept);
  };
  return [...Object.keys(asked), ...Object.keys(was)].every(isKept);
}

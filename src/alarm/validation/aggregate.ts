import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { BadRequest } from '../../kernel/errors.ts';
import { MAX_AGGREGATED } from '../condition/aggregate.ts';
import { hasPoint, watchesDevice } from '../condition/devices.ts';
import { isQuantified } from '../kind/aggregate.ts';
import { isFormula, isSet, namedLimits } from '../kind/condition.ts';
import type { RuleContent } from '../kind/rule-ext.ts';
import { refusalOf, type Watches, type Wrong } from './wrong.ts';

/** Why devices can not be judged together by what a rule says; null: they can. */
export function oddAggregate(content: RuleContent, { target, type }: Watches): Wrong | null {
  const { aggregate, devices, condition, window, recovery, levels } = content;
  if (!aggregate) return null;
  const at = 'aggregate';
  if (target !== 'POINT')
    return { at, why: 'only values of a point are judged together: leave it out' };
  if (!devices) return { at, why: 'choose the devices that are judged together: write devices' };
  if (type === null)
    return { at, why: 'devices are judged together by one point: choose the point to watch' };
  const isOfValue =
    !isSet(condition) &&
    !isFormula(condition) &&
    !['nodata', 'exists', 'missing'].includes(condition.operator) &&
    condition.field === 'value';
  if (!isOfValue) return { at, why: 'devices are judged together by their value: compare value' };
  if (namedLimits(condition).length > 0)
    return { at, why: 'devices that are judged together have one limit: leave attribute out' };
  const { function: of } = aggregate;
  if (!isQuantified(aggregate))
    return type === 'STRING' && of !== 'COUNT'
      ? { at, why: `a point of type STRING has no ${of}: write COUNT, ALL, ANY or NONE` }
      : null;
  if (window.mode !== 'LAST')
    return { at: 'window.mode', why: `${of} is of the last value of each device: write LAST` };
  const isOpposite = of === 'NONE' && (levels ?? recovery.operator) !== undefined;
  return isOpposite
    ? { at, why: 'NONE has no value of its own for levels or recovery: write ALL of the opposite' }
    : null;
}

/**
 * Throws BadRequest where the chosen devices that have the point are too few, or too many to be judged together; also
 * those count whose driver is disabled now.
 */
export async function requireAggregate(
  q: Queries,
  tenantId: string,
  { devices, aggregate }: RuleContent,
  watched: { id: string } | null,
): Promise<void> {
  if (!aggregate || !devices || !watched) return;
  const ext = sql`${JSON.stringify({ content: { devices } })}::jsonb`;
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from svc_device d where d.tenant_id = ${tenantId}
      and ${watchesDevice(ext, sql`d.tenant_id`, sql`d.id`)}
      and ${hasPoint(sql`d.id`, sql`d.tenant_id`, sql`${watched.id}::bigint`, 'any')}`.execute(q);
  const count = rows[0]?.count ?? 0;
  if (count > MAX_AGGREGATED)
    throw refused(`${MAX_AGGREGATED} devices at most are judged together, and ${count} are chosen`);
  const { atLeast = 1, minDevices = 1 } = aggregate;
  const least = Math.max(atLeast, minDevices);
  if (count < least)
    throw refused(`${count} of the chosen devices have the point, and it needs ${least}`);
}

const refused = (why: string): BadRequest => refusalOf({ at: 'aggregate', why });

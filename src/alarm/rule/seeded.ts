import { sql } from 'kysely';

import { Quality } from '../../bus/topic/topics.ts';
import { declaredInterval, intervalOf, STALE_AFTER } from '../../data/value/freshness.ts';
import { goodIn, isUnseen, rememberedOf } from '../condition/aggregate.ts';
import type { Fact } from '../condition/fact.ts';
import type { State, Step } from './state-row.ts';

/**
 * A state of a rule that judges devices together with the last values that they had before the first one that it sees: a
 * device that reports changes alone may send none for days. The others of a state are as they are, without a query.
 */
export async function seeded(given: Step, state: State): Promise<State> {
  const { q, tenantId, rule, fact } = given;
  if (!isUnseen(given, state)) return state;
  const rows = await q
    .selectFrom('svc_point_latest as l')
    .innerJoin('svc_device as d', (join) =>
      join.onRef('d.tenantId', '=', 'l.tenantId').onRef('d.id', '=', 'l.deviceId'),
    )
    .leftJoin('svc_driver as v', (join) =>
      join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
    )
    .select(['l.deviceId', 'l.seq', 'l.numValue', 'l.calValue', declaredInterval.as('declared')])
    .select(sql<Date>`least(l.create_time, l.receive_time)`.as('at'))
    .where('l.tenantId', '=', tenantId)
    .where('l.pointId', '=', fact.pointId)
    .where('l.quality', '<>', Quality.BAD)
    .where((eb) => eb('l.deviceId', '=', eb.fn.any(eb.val([...(rule.devices?.keys() ?? [])]))))
    // What came is decided, whether it is stored already or not; a bad value decides nothing.
    .where('l.deviceId', '<>', goodIn(fact) === null ? '0' : (fact.member ?? '0'))
    .execute();
  const facts = rows.map(({ deviceId, seq, numValue, calValue, declared, at }): Fact => ({
    entityId: fact.entityId,
    pointId: fact.pointId,
    pointType: fact.pointType,
    driverId: '0',
    deviceId,
    values: { value: numValue ?? calValue },
    at: at.getTime(),
    seq: BigInt(seq),
    staleMs: STALE_AFTER * intervalOf(declared),
  }));
  return { ...state, memory: { ...state.memory, ...rememberedOf(rule, facts) } };
}

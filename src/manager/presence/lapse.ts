import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { EntityState } from '../device/state.ts';
import { receivedUntil } from '../driver/listening.ts';
import { EntityType } from '../entity/entity-type.ts';

const BATCH = 10_000;

/** Marks the devices whose lease has ended, which makes their going offline an event; at most 10,000 a time. */
export async function noteLapsed(q: Queries, now: number): Promise<void> {
  await sql`
    update svc_entity_state set lapsed = true, operate_time = ${new Date(now)}
    where (tenant_id, entity_type_flag, entity_id) in (
      select tenant_id, entity_type_flag, entity_id from svc_entity_state
      where entity_type_flag = ${EntityType.DEVICE} and not lapsed
        and entity_state_flag <> ${EntityState.OFFLINE} and expire_time <= ${receivedUntil(now)}
      order by expire_time limit ${BATCH} for update skip locked)`.execute(q);
}

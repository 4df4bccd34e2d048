import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { receivedUntil } from '../driver/listening.ts';
import { EntityType } from '../entity/entity-type.ts';
import { EntityState } from './state.ts';

/** `never connected` and `unknown` are the same: the status of a device that never connected is unknown. */
export const Situation = z.enum(['online', 'offline', 'never connected', 'unknown']);
export type Situation = z.output<typeof Situation>;

/** The devices in a situation: those of `ids`, or all but them. */
export function devicesThat(q: Queries, tenantId: string, situation: Situation, now: number) {
  const reported = q
    .selectFrom('svc_entity_state')
    .select('entityId')
    .where('tenantId', '=', tenantId)
    .where('entityTypeFlag', '=', EntityType.DEVICE);
  const isOnline = sql<boolean>`(entity_state_flag <> ${EntityState.OFFLINE}
    and coalesce(expire_time > ${receivedUntil(now)}, false))`;
  if (situation === 'online') return { ids: reported.where(isOnline), isIn: true };
  if (situation === 'offline')
    return {
      ids: reported.where(sql<boolean>`not ${isOnline}`).where('lastOnlineTime', 'is not', null),
      isIn: true,
    };
  const connected = reported.where((eb) => eb.or([isOnline, eb('lastOnlineTime', 'is not', null)]));
  return { ids: connected, isIn: false };
}

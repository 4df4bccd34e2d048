import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { receivedUntil } from '../driver/listening.ts';
import type { EntityType } from '../entity/entity-type.ts';

/** States of `svc_entity_state`, by the name the bus uses. */
export const EntityState = { ONLINE: 0, OFFLINE: 1, MAINTAIN: 2, FAULT: 3 } as const;

/**
 * docs/specification/objects.md, Status of a device: online while the heartbeat lease is alive; unknown: it has
 * never connected.
 */
export const Status = z.enum(['online', 'offline', 'unknown']);
export type Status = z.output<typeof Status>;

type Kind = typeof EntityType.DEVICE | typeof EntityType.DRIVER;

/** What was reported of the devices or drivers of a tenant, to join by `entityId`. */
export const statesOf = (q: Queries, tenantId: string, kind: Kind, now: number) =>
  q
    .selectFrom('svc_entity_state')
    .select(['entityId', 'entityStateFlag', 'description'])
    .select(['lastHeartbeatTime', 'lastOnlineTime', 'offlineSince', 'onlineSince', 'readIssue'])
    .select('commandLifeMs')
    .select((eb) => eb('expireTime', '>', receivedUntil(now)).as('hasLease'))
    .where('tenantId', '=', tenantId)
    .where('entityTypeFlag', '=', kind);

/** What was reported of one device or driver. */
export const stateOf = (q: Queries, tenantId: string, kind: Kind, id: string, now: number) =>
  statesOf(q, tenantId, kind, now).where('entityId', '=', id).executeTakeFirst();

/** A state as it is joined: null where nothing was reported. */
type Reported = { entityStateFlag: number | null; hasLease: unknown };

/** Of a driver or a device that was online. */
export function statusOf(state: Reported | undefined): Status {
  if (state === undefined || state.entityStateFlag === null) return 'unknown';
  return state.entityStateFlag !== EntityState.OFFLINE && state.hasLease === true
    ? 'online'
    : 'offline';
}

/** Of a device: what its driver has not reported online yet cannot have gone offline. */
export function deviceStatusOf(
  state: (Reported & { lastOnlineTime: Date | null }) | undefined,
): Status {
  const status = statusOf(state);
  return status === 'offline' && state?.lastOnlineTime === null ? 'unknown' : status;
}

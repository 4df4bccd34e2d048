import { sql } from 'kysely';

import type { CommandEnd } from '../../../data/command/facts.ts';
import type { RolloutState } from './firmware-card.ts';

const MAX_TROUBLED = 10;

/** Stored state of the roll-out of an action. */
export type RolloutRow = Pick<
  RolloutState,
  'rolloutId' | 'status' | 'held' | 'why' | 'troubled'
> & {
  /** How many devices have which status. */
  devices: Record<string, number>;
};

/** The roll-out of `svc_action`, in one column, which costs an action of another kind nothing. */
export const rolloutRow = sql<RolloutRow | null>`case svc_action.action_type when 'proposeFirmware' then (
  select jsonb_build_object('rolloutId', r.id::text, 'status', r.status, 'held', r.held, 'why', r.why,
    'devices', (select coalesce(jsonb_object_agg(c.status, c.count), '{}') from (
      select u.status, count(*) as count from svc_firmware_update u
      where u.tenant_id = r.tenant_id and u.rollout_id = r.id group by u.status) c),
    'troubled', (select coalesce(jsonb_agg(jsonb_build_object('deviceId', t.device_id::text,
        'deviceName', coalesce(t.device_name, t.device_id::text), 'status', t.status,
        'message', case when t.correction = '' then t.message else t.correction end)
        order by t.position), '[]') from (
      select u.device_id, d.device_name, u.status, u.message, u.correction, u.position from svc_firmware_update u
      left join svc_device d on d.tenant_id = u.tenant_id and d.id = u.device_id
      where u.tenant_id = r.tenant_id and u.rollout_id = r.id
        and u.status in ('FAILED', 'MISMATCH', 'UNKNOWN', 'CANCELLED')
      order by u.status = 'CANCELLED', u.position limit ${sql.lit(MAX_TROUBLED)}) t))
  from svc_firmware_rollout r
  where r.tenant_id = svc_action.tenant_id and r.action_id = svc_action.action_id) end`;

export function rolloutState({ devices, held, ...row }: RolloutRow): RolloutState {
  const of = (...statuses: string[]): number =>
    statuses.reduce((sum, status) => sum + (devices[status] ?? 0), 0);
  return {
    ...row,
    held: row.status === 'RUNNING' ? held : '',
    counts: {
      waiting: of('WAITING'),
      underWay: of('BEGUN', 'SENDING', 'DOWNLOADED', 'UPDATING'),
      verified: of('VERIFIED'),
      failed: of('FAILED'),
      mismatch: of('MISMATCH'),
      unknown: of('UNKNOWN'),
      cancelled: of('CANCELLED'),
    },
  };
}

/**
 * How a confirmed roll-out ended; null while devices wait or are under way. One device that surely does not run the
 * version makes it no success, whatever is not known of others.
 */
export function rolloutEnd({
  status,
  counts,
}: Pick<RolloutState, 'status' | 'counts'>): CommandEnd | null {
  if (status === 'RUNNING' || status === 'PAUSED' || counts.underWay > 0) return null;
  if (counts.failed + counts.cancelled + counts.waiting > 0) return 'FAILED';
  if (counts.mismatch > 0) return 'MISMATCH';
  return counts.unknown > 0 ? 'UNKNOWN' : 'EXECUTED';
}

/** SQL: `rolloutEnd` of the roll-out `r`, which is over, as it is stored with its action; null while devices are under way. */
export const endStored = sql<number>`(select case
  when count(*) filter (where u.status in ('BEGUN', 'SENDING', 'DOWNLOADED', 'UPDATING')) > 0 then null
  when count(*) filter (where u.status in ('FAILED', 'CANCELLED', 'WAITING')) > 0 then 4
  when count(*) filter (where u.status = 'MISMATCH') > 0 then 9
  when count(*) filter (where u.status = 'UNKNOWN') > 0 then 8 else 3 end
  from svc_firmware_update u where u.tenant_id = r.tenant_id and u.rollout_id = r.id)`;

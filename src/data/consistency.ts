import { sql } from 'kysely';

import { type Check, type Finding, link, owned } from '../db/check.ts';
import { CommandStatus } from './command/state.ts';

/** The sweeper runs every second; a command still open a minute after its expiry was missed. */
const LEFT_MS = 60_000;
const CLOSED_WITHIN_MS = 24 * 3_600_000;
const key = "c.device_id || ':' || c.point_id";

const ended = (table: string, id: string): Check => ({
  name: `${table} has no command that is open past its expiry`,
  find: (at) => sql<Finding>`
    select ${`${table} `} || ${sql.ref(`c.${id}`)} as entity, 'expired ' || c.expire_time as detail
    from ${sql.table(table)} c where c.status in (${CommandStatus.PENDING}, ${CommandStatus.SENT})
      and c.expire_time < ${new Date(at.getTime() - LEFT_MS)}`,
});

/**
 * Latest values need their device and point; every command must end. History may outlive its device and
 * point.
 */
export const checks: readonly Check[] = [
  ...owned(['svc_point_latest'], key),
  ...owned(['svc_point_command_history', 'svc_command_history']),
  ...link({ table: 'svc_point_latest', column: 'device_id', to: 'svc_device', key }),
  ...link({ table: 'svc_point_latest', column: 'point_id', to: 'svc_point', key }),
  {
    name: "svc_point_latest is of a point of the device's profile",
    find: () => sql<Finding>`
      select 'svc_point_latest ' || c.device_id || ':' || c.point_id as entity,
        'profile_id = ' || p.profile_id as detail
      from svc_point_latest c join svc_device d on d.id = c.device_id
      join svc_point p on p.id = c.point_id where p.profile_id <> d.profile_id`,
  },
  {
    name: 'hours of values are closed within a day after they are due',
    find: (at) => sql<Finding>`
      select 'tenant ' || tenant_id as entity, 'closed until ' || coalesce(closed_until::text, 'never') as detail
      from svc_value_closing where due_time < ${new Date(at.getTime() - CLOSED_WITHIN_MS)}`,
  },
  {
    name: 'svc_value_delay counts the values of the closed hours',
    find: () => sql<Finding>`
      select 'tenant ' || tenant_id as entity, closed || ' values, counted ' || counted as detail
      from (select tenant_id, sum(closed) as closed, sum(counted) as counted from (
          select tenant_id, value_count as closed, 0 as counted from svc_value_hour
          union all select tenant_id, 0, value_count from svc_value_delay) each_of group by tenant_id) compared
      where closed <> counted`,
  },
  ended('svc_point_command_history', 'command_id'),
  ended('svc_command_history', 'record_id'),
];

import { sql } from 'kysely';

import type { Operation } from '../../app.ts';
import { BadRequest } from '../../core/errors.ts';
import { inOneTrip } from '../../db/tenant.ts';
import { ACTION_STATUS, type ActionStatus } from './status.ts';
import { type ActionRow, type ActionView, actionsOf, viewOf } from './view.ts';

type Asked = {
  /** Only those of the caller, whatever the conversation or client. */
  mine?: boolean | undefined;
  status?: ActionStatus | undefined;
  deviceId?: string | undefined;
  /** When it was proposed: `since` included, `until` excluded. */
  since?: Date | undefined;
  until?: Date | undefined;
  cursor?: string | undefined;
  limit: number;
};

/** A proposal, and the OAuth client, key or conversation that it came through. */
type FoundAction = ActionView & {
  clientId: string;
  /** The rest of the list begins behind it. */
  position: string;
};

/** Newest first; the proposals of a page that ended before a sweep are of their present status. */
export const search: Operation<Asked, { actions: FoundAction[]; nextCursor: string | null }> = (
  app,
  { tenantId, principalId },
  { mine, status, deviceId, since, until, cursor, limit },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const now = app.clock.now();
    let query = actionsOf(q, tenantId)
      .select(
        sql<string>`(extract(epoch from svc_action.create_time) * 1000000)::bigint`.as('micros'),
      )
      .orderBy('svc_action.createTime', 'desc')
      .orderBy('svc_action.id', 'desc')
      .limit(limit + 1);
    if (mine) query = query.where('svc_action.userId', '=', principalId);
    if (deviceId) query = query.where(isOfDevice(deviceId));
    if (since) query = query.where('svc_action.createTime', '>=', since);
    if (until) query = query.where('svc_action.createTime', '<', until);
    if (status) query = query.where('svc_action.status', 'in', storedAs(status));
    if (cursor !== undefined) query = query.where(isBehind(cursor));
    const rows = await query.execute();
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      actions: shown
        .map((row) => actionOf(row, now))
        .filter((one) => status === undefined || one.status === status),
      nextCursor: rows.length > limit && last ? positionOf(last) : null,
    };
  });

const positionOf = ({ micros, id }: { micros: string; id: string }): string => `${micros}.${id}`;

const actionOf = (row: ActionRow & { micros: string }, now: number): FoundAction => ({
  ...viewOf(row, now),
  clientId: row.clientId,
  position: positionOf(row),
});

/** Stored statuses of actions that may have this status now: the sweeper stores an expiry and an end a little later. */
const storedAs = (status: ActionStatus): number[] => [
  ACTION_STATUS[status],
  ...(status === 'EXPIRED' ? [ACTION_STATUS.PENDING] : []),
  ...(/^(EXECUTED|MISMATCH|FAILED|UNKNOWN)$/.test(status) ? [ACTION_STATUS.CONFIRMED] : []),
];

/** One of its writes goes to the device. */
const isOfDevice = (
  deviceId: string,
) => sql<boolean>`(svc_action.device_id = ${deviceId} or exists (
  select from svc_action_step s where s.tenant_id = svc_action.tenant_id
    and s.action_id = svc_action.action_id and s.device_id = ${deviceId}))`;

function isBehind(cursor: string) {
  const [, micros, id] = /^(\d{1,17})\.(\d{1,18})$/.exec(cursor) ?? [];
  if (micros === undefined || id === undefined)
    throw new BadRequest('cursor must be the nextCursor of an earlier answer');
  return sql<boolean>`(svc_action.create_time, svc_action.id) <
    ('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${id}::bigint)`;
}

import { sql } from 'kysely';
import { z } from 'zod';

import { CommandEnd } from '../../data/command/facts.ts';
import { acrossTenants, inOneTrip } from '../../db/tenant.ts';
import type { App, Operation } from '../../kernel/app/app.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import {
  ACTION_STATUS,
  type ActionStatus,
  statusesAllowing,
  statusesBeforeRollout,
} from './kind/status.ts';
import { type ActionRow, actionsOf, ActionView, viewOf } from './view.ts';

const MAX_LISTED = 100;
const STATUSES = [
  'PENDING',
  'PARTIALLY_CONFIRMED',
  'CONFIRMED',
  'REJECTED',
  'EXECUTED',
  'FAILED',
  'EXPIRED',
  'WITHDRAWN',
  'UNKNOWN',
  'MISMATCH',
] as const satisfies readonly ActionStatus[];

type Asked = {
  /** Only those of the caller, whatever the conversation or client. */
  mine?: boolean | undefined;
  status?: ActionStatus | undefined;
  /** Only those that do not wait for a decision any more. */
  decided?: boolean | undefined;
  deviceId?: string | undefined;
  /** When it was proposed: `since` included, `until` excluded. */
  since?: Date | undefined;
  until?: Date | undefined;
  cursor?: string | undefined;
  limit: number;
};

export const ActionSearch = input({
  status: z.enum(STATUSES).optional(),
  decided: z.boolean().describe('Without those that wait for a decision').optional(),
  mine: z.boolean().describe('Only those of the caller').optional(),
  deviceId: Id.describe('It is about this device, alone or among others').optional(),
  cursor: Text(64).describe('`nextCursor` of the page before').optional(),
  limit: z.number().int().min(1).max(MAX_LISTED).default(20),
});

export const FoundActions = z.object({
  actions: z.array(ActionView),
  nextCursor: z.string().nullable().describe('null: the last page'),
});

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
  { mine, status, decided, deviceId, since, until, cursor, limit },
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
    if (decided) query = query.where(isDecided(now));
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

/** The same for people: as `byId` answers each, without where a page ends. */
export const found: Operation<
  z.output<typeof ActionSearch>,
  z.output<typeof FoundActions>
> = async (app, caller, given) => {
  const { actions, nextCursor } = await search(app, caller, given);
  return { actions: actions.map((action) => ActionView.parse(action)), nextCursor };
};

const positionOf = ({ micros, id }: { micros: string; id: string }): string => `${micros}.${id}`;

const actionOf = (row: ActionRow & { micros: string }, now: number): FoundAction => ({
  ...viewOf(row, now),
  clientId: row.clientId,
  position: positionOf(row),
});

/** Stored statuses of actions that may have this status now: the sweeper stores an expiry, an end and a proof a little later. */
function storedAs(status: ActionStatus): number[] {
  const { data: end } = CommandEnd.safeParse(status);
  return [
    ACTION_STATUS[status],
    ...(status === 'EXPIRED' ? statusesAllowing('expire') : []),
    // What a roll-out can end after, so can a write.
    ...(end === undefined ? [] : statusesBeforeRollout(end)),
  ];
}

/** Decided, withdrawn or expired, swept or not yet. */
const isDecided = (now: number) => sql<boolean>`(svc_action.expire_time <= ${new Date(now)}
  or svc_action.status not in (${ACTION_STATUS.PENDING}, ${ACTION_STATUS.PARTIALLY_CONFIRMED}))`;

/** It is about the device: one of its writes goes there, or its roll-out. */
const isOfDevice = (
  deviceId: string,
) => sql<boolean>`(svc_action.device_id = ${deviceId} or exists (
  select from svc_action_step s where s.tenant_id = svc_action.tenant_id
    and s.action_id = svc_action.action_id and s.device_id = ${deviceId})
  or svc_action.action_type = 'proposeFirmware' and svc_action.payload @> ${JSON.stringify({
    firmware: { devices: [{ deviceId }] },
  })}::jsonb)`;

function isBehind(cursor: string) {
  const [, micros, id] = /^(\d{1,17})\.(\d{1,18})$/.exec(cursor) ?? [];
  if (micros === undefined || id === undefined)
    throw new BadRequest('cursor must be the nextCursor of an earlier answer');
  return sql<boolean>`(svc_action.create_time, svc_action.id) <
    ('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${id}::bigint)`;
}

/** Proposals of all tenants that wait for a person now. */
export const waitingActions = ({ db, clock }: App): Promise<number> =>
  acrossTenants(db, 'sweeper', async (q) => {
    const { waiting } = await q
      .selectFrom('svc_action')
      .select(({ fn }) => fn.countAll<string>().as('waiting'))
      .where('status', 'in', statusesAllowing('confirm'))
      .where('expireTime', '>', new Date(clock.now()))
      .executeTakeFirstOrThrow();
    return Number(waiting);
  });

import { allowing, CommandStatus, CommandType } from '../../data/command/command-state.ts';
import type { Queries } from '../../db/connect.ts';
import { ACTION_STATUS } from './action-status.ts';
import { actionsOf, cardOf } from './action-view.ts';
import type { OtherWrite } from './card-notes.ts';

const MAX_NAMED = 5;
const LOOKED_AT = 20;

type Place = { tenantId: string; deviceId: string; pointId: string };

/** Writes of the point that wait, are under way, or ended unknown since the last one that succeeded. */
export async function otherWritesOf(
  q: Queries,
  place: Place,
  { actionId, now }: { actionId: string; now: number },
): Promise<OtherWrite[]> {
  const issued = await issuedTo(q, place, actionId);
  return [...issued, ...(await proposedFor(q, place, { actionId, now }))].slice(0, MAX_NAMED);
}

async function issuedTo(q: Queries, place: Place, actionId: string): Promise<OtherWrite[]> {
  const rows = await q
    .selectFrom('svc_point_command_history as c')
    .leftJoin('svc_action as a', (join) =>
      join.onRef('a.tenantId', '=', 'c.tenantId').onRef('a.commandId', '=', 'c.commandId'),
    )
    .select(['c.commandId', 'c.requestValue', 'c.status', 'a.actionId', 'a.userName'])
    .select('a.status as actionStatus')
    .where('c.tenantId', '=', place.tenantId)
    .where('c.deviceId', '=', place.deviceId)
    .where('c.pointId', '=', place.pointId)
    .where('c.type', '=', CommandType.WRITE)
    .orderBy('c.id', 'desc')
    .limit(LOOKED_AT)
    .execute();
  const known = rows.findIndex(({ status }) => status === CommandStatus.SUCCESS);
  const since = known === -1 ? rows : rows.slice(0, known);
  return since.flatMap((row) => {
    const kind = kindOf(row);
    if (kind === null || row.actionId === actionId) return [];
    const id = row.actionId ?? row.commandId;
    return [{ kind, id, value: row.requestValue ?? '', by: row.userName ?? '' }];
  });
}

type Issued = { status: number; actionStatus: number | null };

function kindOf({ status, actionStatus }: Issued): OtherWrite['kind'] | null {
  if (allowing('send').includes(status) || allowing('succeed').includes(status)) return 'UNDER_WAY';
  // A later reading may have shown that it happened.
  const isSettled = actionStatus === ACTION_STATUS.EXECUTED;
  return status === CommandStatus.UNKNOWN && !isSettled ? 'UNKNOWN' : null;
}

async function proposedFor(
  q: Queries,
  { tenantId, deviceId, pointId }: Place,
  { actionId, now }: { actionId: string; now: number },
): Promise<OtherWrite[]> {
  const rows = await actionsOf(q, tenantId)
    .where('svc_action.deviceId', '=', deviceId)
    .where('svc_action.pointId', '=', pointId)
    .where('svc_action.status', '=', ACTION_STATUS.PENDING)
    .where('svc_action.expireTime', '>', new Date(now))
    .where('svc_action.actionId', '!=', actionId)
    .orderBy('svc_action.id')
    .limit(MAX_NAMED)
    .execute();
  return rows.map((row) => {
    const { proposedValue, proposerName } = cardOf(row);
    return { kind: 'PROPOSED', id: row.actionId, value: proposedValue, by: proposerName };
  });
}

import { openUntil } from '../../data/command/record.ts';
import { CommandStatus, CommandType, UNCERTAIN } from '../../data/command/state.ts';
import type { Queries } from '../../db/connect.ts';
import { writesOf } from '../action/card/card.ts';
import type { OtherWrite } from '../action/card/notes.ts';
import { isAt, isFor, type Place } from '../action/card/place.ts';
import { ACTION_STATUS } from '../action/kind/status.ts';
import { actionsOf, cardOf } from '../action/view.ts';

const MAX_NAMED = 5;
const LOOKED_AT = 20;

/** Other writes to the point: unknown ones that a reading can still prove, under way, or proposed. */
export async function otherWritesOf(
  q: Queries,
  place: Place,
  { actionId, now }: { actionId: string; now: number },
): Promise<OtherWrite[]> {
  const [issued, proposed] = await Promise.all([
    issuedTo(q, place, { actionId, now }),
    proposedFor(q, place, { actionId, now }),
  ]);
  return [...issued, ...proposed].slice(0, MAX_NAMED);
}

const UNDER_WAY = [CommandStatus.PENDING, CommandStatus.SENT];

async function issuedTo(
  q: Queries,
  place: Place,
  { actionId, now }: { actionId: string; now: number },
): Promise<OtherWrite[]> {
  const rows = await q
    .selectFrom('svc_point_command_history as c')
    .leftJoin('svc_action as a', (join) =>
      join.onRef('a.tenantId', '=', 'c.tenantId').onRef('a.actionId', '=', 'c.actionId'),
    )
    .selectAll('c')
    .select(['a.actionId as ofAction', 'a.userName'])
    .where('c.tenantId', '=', place.tenantId)
    .where('c.deviceId', '=', place.deviceId)
    .where('c.pointId', '=', place.pointId)
    .where('c.type', '=', CommandType.WRITE)
    .where('c.status', 'in', [...UNDER_WAY, ...UNCERTAIN])
    .orderBy('c.id', 'desc')
    .limit(LOOKED_AT)
    .execute();
  const named = rows.flatMap((row): OtherWrite[] => {
    if (row.ofAction !== null && row.ofAction === actionId) return [];
    const isUnderWay = UNDER_WAY.some((status) => status === row.status);
    if (!isUnderWay && openUntil(row, now) === null) return [];
    const kind = isUnderWay ? 'UNDER_WAY' : 'UNKNOWN';
    const id = row.ofAction ?? row.commandId;
    return [{ kind, id, value: row.requestValue ?? '', by: row.userName ?? '' }];
  });
  // UNKNOWN first: these writes make the digest required and must survive the cut to MAX_NAMED.
  return named.toSorted((one, other) => rank(one) - rank(other));
}

const rank = ({ kind }: OtherWrite): number => (kind === 'UNKNOWN' ? 0 : 1);

async function proposedFor(
  q: Queries,
  place: Place,
  { actionId, now }: { actionId: string; now: number },
): Promise<OtherWrite[]> {
  const rows = await actionsOf(q, place.tenantId)
    .where(isFor(place, ACTION_STATUS.PENDING))
    .where('svc_action.status', '=', ACTION_STATUS.PENDING)
    .where('svc_action.expireTime', '>', new Date(now))
    .where('svc_action.actionId', '!=', actionId)
    .orderBy('svc_action.id')
    .limit(MAX_NAMED)
    .execute();
  return rows.flatMap((row) => {
    const card = cardOf(row);
    const write = writesOf(card).find((one) => isAt(place, one));
    if (!write) return [];
    const { proposedValue: value } = write;
    return [{ kind: 'PROPOSED' as const, id: row.actionId, value, by: card.proposerName }];
  });
}

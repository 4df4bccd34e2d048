import { type RunningMaintenance, runningIn } from '../../alarm/alarm/maintenance.ts';
import { type Unnotified, unnotifiedIn } from '../../alarm/ledger/unnotified.ts';
import { type FoundAlarms, searchIn } from '../../alarm/search/search.ts';
import { allows } from '../../auth/permission/permission.ts';
import { commandsOf, type Receipt, receiptOf } from '../../data/command/record.ts';
import { CommandType, UNCERTAIN } from '../../data/command/state.ts';
import { silentPoints } from '../../data/silence/silent.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { type ActionView, viewOf } from '../action/view.ts';
import { pendingIn } from '../propose/action.ts';
import { type Changes, changesIn } from './changes.ts';
import { type Outages, outagesIn } from './outages.ts';

/** How a plant is handed over; a part is null for a caller that may not read it. */
export type Handover = {
  alarms: { firing: FoundAlarms; raised: FoundAlarms } | null;
  /** Channels that do not know of alarms that fire. */
  unnotified: Unnotified[] | null;
  /** What is in maintenance now, what ends first at the begin. */
  maintenance: RunningMaintenance[] | null;
  outages: Outages | null;
  silentPoints: number | null;
  /** Null where they were not asked for. */
  changes: Changes | null;
  pending: ActionView[] | null;
  /** Writes that may or may not have happened, newest first. */
  unknownWrites: Receipt[] | null;
};

const RIGHTS = {
  alarms: 'svc-center-data:dashboard:list',
  devices: 'svc-center-manager:device:list',
  values: 'svc-center-data:point_value:list',
  changes: 'svc-center-data:change:list',
  actions: 'svc-center-agentic:action:get',
  commands: 'svc-center-data:point_command_history:list',
} as const;

const MAX_FIRING = 6;
const MAX_RAISED = 6;
const MAX_PENDING = 4;
const MAX_UNKNOWN = 3;

/** What was and is since `since`, in one trip. */
export const handover: Operation<{ since: Date; hasChanges?: boolean }, Handover> = (
  app,
  caller,
  { since, hasChanges = false },
) =>
  inOneTrip(app.db, caller.tenantId, async (q) => {
    const { tenantId, timezone: zone } = caller;
    const now = app.clock.now();
    const may = (right: keyof typeof RIGHTS): boolean => allows(caller, RIGHTS[right]);
    const [
      firing,
      raised,
      unnotified,
      maintenance,
      outages,
      silent,
      changes,
      pending,
      unknownWrites,
    ] = await Promise.all([
      may('alarms')
        ? searchIn(q, tenantId, { state: 'FIRING', limit: MAX_FIRING, now, zone })
        : null,
      may('alarms')
        ? searchIn(q, tenantId, { since, limit: MAX_FIRING + MAX_RAISED, now, zone })
        : null,
      may('alarms') ? unnotifiedIn(q, tenantId, now) : null,
      may('alarms') ? runningIn(q, tenantId, now) : null,
      may('devices') ? outagesIn(q, tenantId, { since, now }) : null,
      may('values') ? silentPoints(q, tenantId, now) : null,
      hasChanges && may('changes') ? changesIn(q, caller, { since, now }) : null,
      may('actions')
        ? pendingIn(q, tenantId, now).orderBy('svc_action.id').limit(MAX_PENDING).execute()
        : null,
      may('commands') ? unknownIn(q, tenantId, { since, now }) : null,
    ]);
    return {
      alarms: firing && raised && { firing, raised },
      unnotified,
      maintenance,
      outages,
      silentPoints: silent,
      changes,
      pending: pending && pending.map((row) => viewOf(row, now)),
      unknownWrites,
    };
  });

async function unknownIn(
  q: Queries,
  tenantId: string,
  { since, now }: { since: Date; now: number },
): Promise<Receipt[]> {
  const rows = await commandsOf(q, tenantId)
    .where('c.type', '=', CommandType.WRITE)
    .where('c.status', 'in', UNCERTAIN)
    .where('c.settledTime', 'is', null)
    .where('c.occurTime', '>=', since)
    .orderBy('c.occurTime', 'desc')
    .limit(MAX_UNKNOWN)
    .execute();
  return rows.map((row) => receiptOf(row, now));
}

import { type Selectable, sql } from 'kysely';

import { allows } from '../../auth/permission/permission.ts';
import { changeRows } from '../../data/change/change-row.ts';
import { readableBy } from '../../data/change/change.ts';
import { folded } from '../../data/change/folded.ts';
import type { ChangeLine } from '../../data/change/line.ts';
import type { Queries } from '../../db/connect.ts';
import type { EntityAlarmTable } from '../../db/schema/alarm.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { NotFound } from '../../kernel/errors.ts';
import { type AlertSource, sourceOf } from '../alarm/alert.ts';
import { type Comment, commentsOf } from '../alarm/comment.ts';
import { marginOf, recoversBy } from '../alarm/firing.ts';
import { maintenanceOf } from '../alarm/in-maintenance.ts';
import {
  type Receiver,
  isCurrent,
  receiverOf,
  type Notifications,
  notificationsOf,
} from '../alarm/notifications.ts';
import {
  acknowledgedOf,
  type AlarmSummary,
  beginOf,
  firingIn,
  silenceOf,
  summaryOf,
  type SummaryRow,
} from '../alarm/summary.ts';
import { AlarmTarget, AlarmType } from '../kind/alarm.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import { holdMs } from '../kind/window.ts';
import { explainedIds } from '../search/explained.ts';
import {
  minutesAfter,
  type NearValue,
  type Occurrences,
  ofAlarm,
  occurrencesOf,
  valuesAround,
} from './around.ts';
import { causeFacts } from './cause-facts.ts';
import { type Cause } from './cause.ts';
import { type Explained, rankedCauses } from './causes.ts';
import { type Step, timelineOf } from './timeline.ts';

/** All that explains one alarm; times are ISO-8601, null where there is none. */
export type AlarmReport = AlarmSummary & {
  source: AlertSource;
  /** Null without a rule; it may have been deleted. */
  ruleId: string | null;
  /** From the firing to the recovery, or to now while it fires; null for a report. */
  seconds: number | null;
  recovery: string | null;
  /** How far the value was beyond the limit. */
  margin: string | null;
  /** What its rule said to do when it fired; empty without one. */
  instruction: string;
  /** What the person that confirmed it had to say; empty without a note. */
  confirmNote: string;
  /** What people wrote about it, oldest first. */
  comments: Comment[];
  timeline: Step[];
  receivers: Receiver[];
  values: NearValue[];
  occurrences: Occurrences;
  /** Unconfirmed alarms that it explains as their cause, counted up to 500. */
  explains: number;
  /** What was configured, proposed, decided and written on the device in the half hours before and after, newest first, many alike as one. */
  changes: ChangeLine[];
  /** What may have led to it, the likeliest first; of what the caller may read. */
  causes: Cause[];
};

/** Parts that take a right of their own. */
type Asked = { alarmId: string; withValues: boolean; withChanges: boolean };

const VALUES = 'svc-center-data:point_value:list';
const CHANGES = 'svc-center-data:change:list';

const AROUND_MINUTES = 30;
const MAX_CHANGES = 3;
/** Of which the lines are made. */
const MAX_ROWS = 30;
const MAX_EXPLAINED = 500;

/** Explains an alarm; throws NotFound, also for another tenant's. */
export const report: Operation<Asked, AlarmReport> = (app, caller, asked) =>
  inOneTrip(app.db, caller.tenantId, async (q) => {
    const { tenantId } = caller;
    const now = app.clock.now();
    const of = { tenantId, alarmId: asked.alarmId };
    // The causes are the same for a caller at every entry, whatever else of the report is asked for.
    const rights = { withValues: allows(caller, VALUES), withChanges: allows(caller, CHANGES) };
    const [row, values, occurrences, explained, changes, before] = await Promise.all([
      alarmIn(q, of, now),
      asked.withValues ? valuesAround(q, of) : [],
      occurrencesOf(q, of, now),
      explainedIds(q, { tenantId, causeId: asked.alarmId, limit: MAX_EXPLAINED }),
      asked.withChanges
        ? changeRows(q, tenantId, {
            since: minutesAfter(of, -AROUND_MINUTES),
            until: minutesAfter(of, AROUND_MINUTES),
            before: null,
            // An alarm of a driver has no device, and no device has the id -1.
            deviceId: ofAlarm(of, sql`coalesce(nullif(device_id, 0), -1)`),
            without: 'label_bind',
            limit: MAX_ROWS,
          })
        : [],
      causeFacts(q, of, rights),
    ]);
    const firing = firingIn(row);
    const end =
      row.lastRecoverTime?.getTime() ?? (row.stateFlag === RuleStatus.FIRING ? now : null);
    return {
      ...summaryOf(row),
      source: sourceOf(row.alarmTargetTypeFlag),
      ruleId: row.ruleId === '0' ? null : row.ruleId,
      seconds: end === null ? null : Math.round((end - beginOf(row).getTime()) / 1000),
      recovery: firing && recoversBy(firing),
      margin: firing && marginOf(firing),
      instruction: firing?.instruction ?? '',
      confirmNote: row.confirmNote,
      timeline: timelineOf(row, row, caller.timezone),
      comments: row.comments,
      receivers: row.told.filter(isCurrent).map((one) => receiverOf(one, caller.timezone)),
      values,
      occurrences,
      explains: explained.length,
      changes: folded(caller, changes, now)
        .slice(0, MAX_CHANGES)
        .map(({ line }) => line),
      causes: rankedCauses(
        explainedOf(row),
        { ...before, changes: before.changes.map((change) => readableBy(caller, change)) },
        now,
      ),
    };
  });

type AlarmRow = SummaryRow &
  Selectable<EntityAlarmTable> & { told: Notifications[]; comments: Comment[] };

/** A lease has ended so long before its outage is an alarm. */
const LEASE_MS = 60_000;

function explainedOf(row: AlarmRow): Explained {
  const firing = firingIn(row);
  const measured = Date.parse(String(firing?.values['createTime'] ?? ''));
  const isOfPoint = row.alarmTargetTypeFlag === AlarmTarget.POINT;
  const firedAt = isOfPoint && Number.isFinite(measured) ? measured : beginOf(row).getTime();
  const held = firing === null ? LEASE_MS : holdMs(firing.window);
  return {
    firedAt,
    onset: firedAt - held,
    isSilence: firing === null ? isAway(row) : firing.condition.operator === 'nodata',
    deviceId: row.deviceId,
    pointId: row.pointId,
  };
}

const isAway = ({ alarmTypeFlag: type }: AlarmRow): boolean =>
  type === AlarmType.OFFLINE || type === AlarmType.STATE_FLIP;

async function alarmIn(
  q: Queries,
  { tenantId, alarmId }: { tenantId: string; alarmId: string },
  now: number,
): Promise<AlarmRow> {
  const { rows } = await sql<AlarmRow>`
    select a.*, d.device_name, p.point_name, p.unit, v.driver_name, ${notificationsOf(tenantId, 'a')} as told,
      ${silenceOf(tenantId, 'a')} as silence, ${acknowledgedOf(tenantId, 'a')} as acknowledged,
      ${maintenanceOf(tenantId, 'a', now)} as maintenance, ${commentsOf(tenantId, 'a')} as comments
    from svc_entity_alarm a
    left join svc_device d on d.tenant_id = a.tenant_id and d.id = a.device_id
    left join svc_point p on p.tenant_id = a.tenant_id and p.id = a.point_id
    left join svc_driver v on v.tenant_id = a.tenant_id and v.id = a.driver_id and a.device_id = 0
    where a.tenant_id = ${tenantId} and a.id = ${alarmId}`.execute(q);
  if (!rows[0]) throw new NotFound('Alarm');
  return rows[0];
}

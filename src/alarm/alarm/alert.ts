import { type Selectable, sql } from 'kysely';
import { z } from 'zod';

import { audit } from '../../auth/audit/audit.ts';
import { madeByPlatform } from '../../auth/connection/untrusted.ts';
import { demandPerson } from '../../auth/rights/person.ts';
import type { Queries } from '../../db/connect.ts';
import { onIndexedPage, pageOf } from '../../db/query-page.ts';
import type { EntityAlarmTable } from '../../db/schema/alarm.ts';
import { listTotal } from '../../db/tenant-total.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { answer, AnswerId, MaybeTime, named, numbered, Time } from '../../kernel/entity/answer.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { NotFound } from '../../kernel/errors.ts';
import { flag } from '../../kernel/input/flag.ts';
import { byNumber, Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Moment } from '../../kernel/input/moment.ts';
import type { Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { AlarmLevel, AlarmSource, AlarmTarget, AlarmType, ConfirmFlag } from '../kind/alarm.ts';
import { allowing, RuleStatus } from '../kind/rule-status.ts';
import { wake } from '../notify/wake.ts';
import { acknowledge, tellingDrivers } from './acknowledged.ts';
import { episode, keepEpisode } from './episode.ts';

/** The three views of svc_entity_alarm; alarms about reported events belong to the device. */
const targets = {
  driver: [AlarmTarget.DRIVER],
  device: [AlarmTarget.DEVICE, AlarmTarget.EVENT],
  point: [AlarmTarget.POINT],
} as const;
const Source = z.enum(['driver', 'device', 'point']);
export type AlertSource = z.infer<typeof Source>;

/**
 * docs/specification/endpoints.md, POST /api/v3/data/dashboard/alert/page; flags are numbers, with their
 * names beside them.
 */
export const Alert = answer('Alert', {
  id: AnswerId,
  source: Source,
  sourceId: AnswerId.describe('Id of the driver, device or point, by `source`'),
  deviceId: AnswerId.describe('0 for driver alarms; for point alarms, the device with the value'),
  pointId: AnswerId.describe('0 unless the source is a point'),
  alarmTypeFlag: numbered(AlarmType),
  alarmTypeName: named(AlarmType),
  alarmLevelFlag: numbered(AlarmLevel),
  alarmSourceFlag: numbered(AlarmSource),
  confirmFlag: numbered(ConfirmFlag),
  confirmName: named(ConfirmFlag),
  confirmUserId: AnswerId.describe('0 while unconfirmed, or when a policy confirmed it'),
  confirmUserName: z
    .string()
    .nullable()
    .describe('Person that confirmed it; null while unconfirmed, or when a policy confirmed it'),
  confirmTime: MaybeTime,
  confirmNote: z.string().describe('What that person had to say; empty without a note'),
  message: madeByPlatform(
    z.string().meta({ examples: ['“Boiler too hot”: calValue = 84 (> 80 °C)'] }),
  ),
  createTime: Time,
  ...episode,
});
export type Alert = z.output<typeof Alert.schema>;

export const sourceOf = (target: number): AlertSource =>
  Source.options.find((source) => targets[source].some((flagged) => flagged === target)) ??
  'device';

export const alertOf = (row: Selectable<EntityAlarmTable>): Alert => {
  const source = sourceOf(row.alarmTargetTypeFlag);
  return Alert.of({
    ...row,
    source,
    sourceId: { driver: row.driverId, device: row.deviceId, point: row.pointId }[source],
    alarmTypeName: row.alarmTypeFlag,
    confirmName: row.confirmFlag,
    state: row.stateFlag,
  });
};

const MAX_SIZE = 200;
/** Length of the message excerpt in the audit log. */
const MAX_NAMED = 200;
const HOUR_MS = 3_600_000;
const ranges = { '24h': 24, '7d': 168, '30d': 720 } as const;

export const AlertQuery = input({
  source: Source.optional(),
  alarmTypeFlag: flag(AlarmType).optional(),
  confirmFlag: flag(ConfirmFlag).optional(),
  rangeHours: z.coerce
    .number()
    .int()
    .min(1)
    .max(8_784)
    .meta({ examples: [24] })
    .optional(),
  rangeKey: z.enum(['24h', '7d', '30d', 'today']).optional(),
  deviceId: Id.describe('Alarms of the device and of its points').optional(),
  from: Moment.describe('Raised then or later').optional(),
  to: Moment.describe('Raised before').optional(),
  current: z.coerce.number().int().min(1).max(1_000_000).default(1),
  size: z.coerce
    .number()
    .int()
    .min(1)
    .default(20)
    .transform((size) => Math.min(size, MAX_SIZE)),
});
type AlertQuery = z.infer<typeof AlertQuery>;

/** Newest first; `today` begins at midnight UTC. */
export const page: Operation<AlertQuery, Paged<Alert>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    let query = narrowed(
      q.selectFrom('svc_entity_alarm').selectAll().where('tenantId', '=', tenantId),
      given,
      { equal: ['alarmTypeFlag', 'confirmFlag', 'deviceId'] },
    );
    if (given.source) query = query.where('alarmTargetTypeFlag', 'in', targets[given.source]);
    const since = sinceOf(given, app.clock.now());
    if (since !== null) query = query.where('createTime', '>=', new Date(since));
    if (given.from !== undefined) query = query.where('createTime', '>=', new Date(given.from));
    if (given.to !== undefined) query = query.where('createTime', '<', new Date(given.to));
    const newestFirst = query.orderBy('createTime', 'desc').orderBy('id', 'desc');
    const total = listTotal(query, { q, tenantId, table: 'svc_entity_alarm', given });
    return pageOf(newestFirst, given, alertOf, { total, rows: onIndexedPage });
  });

function sinceOf({ rangeKey, rangeHours }: AlertQuery, now: number): number | null {
  if (rangeKey === 'today') return now - (now % (24 * HOUR_MS));
  const hours = rangeKey ? ranges[rangeKey] : rangeHours;
  return hours === undefined ? null : now - hours * HOUR_MS;
}

const ofAlert = { source: Source, id: Id };

export const ConfirmNote = Text(200).describe('For those that read of the alarm later');
export const ConfirmAlert = input({ ...ofAlert, note: ConfirmNote.optional() });
export const UnconfirmAlert = input(ofAlert);
type ConfirmAlert = z.infer<typeof ConfirmAlert>;

export const BulkConfirm = input({
  confirm: z.boolean().default(true),
  items: z.array(z.object({ source: Source, id: Id })).max(500),
});
type BulkConfirm = z.infer<typeof BulkConfirm>;

/** `deviceIds` collects devices; their drivers get an update after the commit. */
type Decision = { confirm: boolean; caller: Caller; deviceIds: Set<string> };

const set =
  (confirmed: boolean): Operation<ConfirmAlert, true> =>
  async (app, caller, item) => {
    demandPerson(caller, 'confirm an alarm');
    return tellingDrivers<true>(app, caller.tenantId, async (q, deviceIds) => {
      const decision = { confirm: confirmed, caller, deviceIds };
      if ((await decide(app, q, item, decision)) === 'NOT_FOUND') throw new NotFound('Alarm');
      return true;
    });
  };

/**
 * Requires a person on an interactive login (403). Throws NotFound, also for an alarm of another source or
 * tenant; a repeated call changes nothing.
 */
export const confirm = set(true);
export const unconfirm = set(false);

/** Answers how many of the alarms exist; missing ones and those of other tenants are skipped. */
export const bulkConfirm: Operation<BulkConfirm, number> = async (app, caller, given) => {
  demandPerson(caller, 'confirm an alarm');
  return tellingDrivers(app, caller.tenantId, async (q, deviceIds) => {
    const decision = { confirm: given.confirm, caller, deviceIds };
    const items = new Map(given.items.map((item) => [item.id, item]));
    let found = 0;
    for (const id of [...items.keys()].toSorted(byNumber)) {
      const item = items.get(id);
      if (item && (await decide(app, q, item, decision)) !== 'NOT_FOUND') found += 1;
    }
    return found;
  });
};

/** An alarm to decide on; without a `source` whichever of the views has it. */
type Item = { source?: AlertSource; id: string; note?: string | undefined };

/** What became of it; `SAME`: it was so before. */
type Outcome = 'DONE' | 'SAME' | 'NOT_FOUND';

/** Confirms one alarm, or takes that back, with its entry in the audit. The caller checked that a person asks. */
export async function decide(
  app: App,
  q: Queries,
  { source, id, note = '' }: Item,
  { confirm: confirmed, caller, deviceIds }: Decision,
): Promise<Outcome> {
  const { tenantId, principalId, name } = caller;
  const at = new Date(app.clock.now());
  // Lock the rule state before the alarm, as evaluation does: a concurrent recovery waits for this commit.
  await q
    .selectFrom('svc_rule_state')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('alarmId', '=', id)
    .forUpdate()
    .execute();
  const alarm = await q
    .selectFrom('svc_entity_alarm')
    .select(['confirmFlag', 'alarmTargetTypeFlag', 'message', 'deviceId', 'alarmExt'])
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('alarmTargetTypeFlag', 'in', source ? targets[source] : Object.values(AlarmTarget))
    .forUpdate()
    .executeTakeFirst();
  if (!alarm) return 'NOT_FOUND';
  if ((alarm.confirmFlag === ConfirmFlag.CONFIRMED) === confirmed) return 'SAME';
  await q
    .updateTable('svc_entity_alarm')
    .set({
      confirmFlag: confirmed ? ConfirmFlag.CONFIRMED : ConfirmFlag.UNCONFIRMED,
      confirmTime: confirmed ? at : null,
      confirmUserId: confirmed ? principalId : '0',
      confirmUserName: confirmed ? name : null,
      confirmNote: confirmed ? note : '',
      operateTime: at,
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .execute();
  // The alarm row has the last decision only; the audit log has all of them.
  await audit(app, q, caller, {
    action: confirmed ? 'CONFIRM' : 'UNCONFIRM',
    resourceType: 'ALARM',
    resourceId: id,
    resourceName: alarm.message.slice(0, MAX_NAMED),
    ...(confirmed && note !== '' && { detail: { note } }),
  });
  if (confirmed) await close(q, tenantId, id, alarm.alarmTargetTypeFlag, at);
  // A confirmation stops the steps of escalation, the end of one lets them go on.
  await wake(q, tenantId, { alarmIds: [id] }, at.getTime());
  const { deviceId, alarmExt } = alarm;
  const about = { alarmId: id, deviceId, reference: alarmExt['reference'] };
  if (await acknowledge(q, tenantId, about, confirmed)) deviceIds.add(deviceId);
  return 'DONE';
}

/**
 * Closes a confirmed alarm that has recovered; one that still fires stays FIRING. A confirmation closes a firing alarm
 * too if it is of an EVENT, which usually has no recovery, or if its rule has no recovery and its condition no longer
 * matches; the ledger notifies the channels of the latter.
 */
async function close(q: Queries, tenantId: string, alarmId: string, target: number, at: Date) {
  await closeNormal(q, tenantId, alarmId, at);
  const open = allowing('close').filter(
    (status) => status !== RuleStatus.FIRING || target === AlarmTarget.EVENT,
  );
  await q
    .updateTable('svc_rule_state')
    .set({ entityStateFlag: RuleStatus.CLOSED, operateTime: at })
    .where('tenantId', '=', tenantId)
    .where('alarmId', '=', alarmId)
    .where('entityStateFlag', 'in', open)
    .execute();
  // The alarm has its own state column: the rule state may be in a later episode.
  await q
    .updateTable('svc_entity_alarm')
    .set({ stateFlag: RuleStatus.CLOSED })
    .where('tenantId', '=', tenantId)
    .where('id', '=', alarmId)
    .where('stateFlag', 'in', open)
    .execute();
}

/** Closes the firing alarm of a rule without a recovery if its condition no longer matches (`normalSince` of the rule state). */
async function closeNormal(q: Queries, tenantId: string, alarmId: string, at: Date): Promise<void> {
  const state = await q
    .updateTable('svc_rule_state')
    .set({ entityStateFlag: RuleStatus.CLOSED, operateTime: at })
    .where('tenantId', '=', tenantId)
    .where('alarmId', '=', alarmId)
    .where('entityStateFlag', '=', RuleStatus.FIRING)
    .where(sql<boolean>`entity_state_ext ->> 'normalSince' is not null`)
    .returning(sql<number>`(entity_state_ext ->> 'normalSince')::float8`.as('normalSince'))
    .executeTakeFirst();
  if (!state) return;
  await keepEpisode(q, tenantId, alarmId, {
    state: 'CLOSED',
    lastRecoverTime: new Date(state.normalSince),
  });
}

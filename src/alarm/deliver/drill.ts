import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, IsoTime, nameIn } from '../../kernel/entity/answer.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { exact } from '../../kernel/input/input.ts';
import { Moment } from '../../kernel/input/moment.ts';
import { covers, MaintenanceMode } from '../alarm/in-maintenance.ts';
import { channelsOf, policyOf } from '../duty/terms.ts';
import { takesLevel } from '../duty/wants.ts';
import { AlarmTarget } from '../kind/alarm.ts';
import { ChannelType, DeliveryStatus } from '../kind/delivery-status.ts';
import { HeldBack, heldBackIn, reasonWords } from '../kind/held-back.ts';
import { RuleExt } from '../kind/rule-ext.ts';
import { policiesOf } from '../ledger/notify.ts';
import type { Mute } from './night-beside.ts';
import { type Night, simulate } from './night.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const ANSWERED_MS = 30 * DAY_MS;
const MAX_MESSAGES = 200;
const MAX_MUTES = 200;

export const Drill = exact({
  ruleId: Id.optional().describe('A rule that fires'),
  deviceId: Id.optional().describe('Or a device that is away'),
  at: Moment.describe('When'),
  hours: z.number().min(1).max(72).default(12).describe('How long it goes on, unconfirmed'),
  failing: z.array(Id).max(50).default([]).describe('Channels whose receivers are away'),
});
type Drill = z.infer<typeof Drill>;

const Message = z
  .object({
    at: IsoTime.describe('When it is sent'),
    taken: IsoTime.nullable().describe('When its receiver has it; null: not within these hours'),
    channelId: AnswerId,
    channelName: z.string(),
    kind: z.enum(['FIRED', 'REMINDER']),
    note: z.string().describe('Why then: its step of escalation, or that no channel is on call'),
    waited: z
      .enum(['', 'GROUPING', 'DIGEST', 'FLOOD'])
      .describe('For what it waited, to go out with others; empty: for nothing'),
  })
  .meta({ id: 'DrillMessage' });

const Channel = z
  .object({
    channelId: AnswerId,
    channelName: z.string(),
    channelType: nameIn(ChannelType),
    policyName: z.string(),
    knows: z.boolean().describe('Whether its receiver knows of the alarm at the end'),
    waits: z.string().describe('Why it does not, or waits at the end; empty: for nothing'),
    heldBack: HeldBack.nullable().describe('What holds it back, as a code'),
    deliveries: z.number().int().describe('Messages of the last 30 days that ended'),
    success: z.number().nullable().describe('Part of them that was taken; null: there were none'),
    medianMs: z.number().nullable().describe('Half of those were taken faster'),
  })
  .meta({ id: 'DrillChannel' });

/** What would become of an alarm: which channels get it, when, and which next. */
export const DrillAnswer = z
  .object({
    level: z.enum(['P0', 'P1', 'P2', 'P3']),
    from: IsoTime,
    to: IsoTime,
    messages: z.array(Message).describe('In order, at most 200'),
    channels: z.array(Channel),
  })
  .meta({ id: 'Drill' });
export type DrillAnswer = z.output<typeof DrillAnswer>;

/**
 * Answers which channels would get an alarm that fires at a time and that no person confirms, over what, and when, by
 * the duties that the ledger carries out. Throws NotFound, and BadRequest without a rule or a device.
 */
export const drill: Operation<Drill, DrillAnswer> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, async (q) => {
    const { level, policies, place } = await raisedBy(q, tenantId, given);
    const from = given.at;
    const to = from + given.hours * HOUR_MS;
    const mutes = await mutesOf(q, tenantId, { ...place, from, to });
    const messages: DrillAnswer['messages'] = [];
    const channels: DrillAnswer['channels'] = [];
    for (const notifyId of policies) {
      const notify = await policyOf(q, tenantId, notifyId);
      if (!notify) continue;
      const { notifyName } = await rowOf(q, 'svc_notify', tenantId, notifyId);
      const bound = await channelsOf(q, tenantId, notifyId);
      const wanted = bound.filter(({ bind }) => takesLevel(bind, level));
      const answers = await answersOf(q, tenantId, app.clock.now(), wanted);
      const night: Night = {
        notify,
        channels: wanted,
        level,
        place,
        fires: from,
        confirmed: null,
        over: null,
        mutes,
        until: to,
        receiverOf: (id) => ({
          answerMs: Math.round(answers.get(id)?.medianMs ?? 0),
          answers: () => (given.failing.includes(id) ? AWAY : TAKEN),
        }),
      };
      const done = await simulate(night);
      const nameOfChannel = (id: string): string =>
        wanted.find((one) => one.id === id)?.channelName ?? '';
      for (const { channelId, at, taken, isReminder, note, waited } of done.messages)
        messages.push({
          at: iso(at),
          taken: taken === null ? null : iso(taken),
          channelId,
          channelName: nameOfChannel(channelId),
          kind: isReminder ? 'REMINDER' : 'FIRED',
          note,
          waited,
        });
      for (const { id, channelName, channelTypeFlag } of wanted) {
        const stand = done.stands.find(({ channelId }) => channelId === id);
        const { deliveries = 0, success = null, medianMs = null } = answers.get(id) ?? {};
        channels.push({
          channelId: id,
          channelName,
          channelType: nameOf(ChannelType, channelTypeFlag),
          policyName: notifyName,
          knows: stand?.known === 'FIRING',
          waits: reasonWords(stand?.waits ?? '', notify.timezone),
          heldBack: heldBackIn(stand?.waits ?? '')?.code ?? null,
          deliveries,
          success,
          medianMs,
        });
      }
    }
    const ordered = messages.toSorted((one, other) => one.at.localeCompare(other.at));
    return {
      level,
      from: iso(from),
      to: iso(to),
      messages: ordered.slice(0, MAX_MESSAGES),
      channels,
    };
  });

const AWAY = { status: 'unreachable', reason: 'its receiver is away' } as const;
const TAKEN = { status: 'delivered', answer: '' } as const;
const iso = (at: number): string => new Date(at).toISOString();

type Raised = { level: Night['level']; policies: string[]; place: Night['place'] };

/** The level of the alarm, the policies that it is reported by, and what these may group it by. */
async function raisedBy(
  q: Queries,
  tenantId: string,
  { ruleId, deviceId }: Drill,
): Promise<Raised> {
  if ((ruleId === undefined) === (deviceId === undefined))
    throw new BadRequest('give a rule or a device');
  if (ruleId !== undefined) {
    const { notifyId, ruleExt } = await rowOf(q, 'svc_rule', tenantId, ruleId);
    const level = RuleExt.safeParse(ruleExt).data?.content.severity ?? 'P2';
    const place = await placeOf(q, tenantId, ruleId);
    return { level, policies: [notifyId], place: { rule: ruleId, ...place } };
  }
  const { id: device, driverId: driver } = await rowOf(q, 'svc_device', tenantId, deviceId ?? '0');
  const policies = await policiesOf(q, tenantId, 'OFFLINE');
  const place = { rule: '0', device, driver };
  return { level: 'P1', policies: policies.map(({ notifyId }) => notifyId), place };
}

/** Where a rule fires, if that is one device or driver; '0': it watches several, or groups, or judges devices together. */
async function placeOf(
  q: Queries,
  tenantId: string,
  ruleId: string,
): Promise<Omit<Night['place'], 'rule'>> {
  const { POINT, DRIVER } = AlarmTarget;
  const { rows } = await sql<{ device: string; driver: string }>`
    select '0' as device, r.entity_id::text as driver from svc_rule r
    where r.tenant_id = ${tenantId} and r.id = ${ruleId} and r.alarm_target_type_flag = ${DRIVER}
    union all
    select d.id::text, d.driver_id::text from svc_rule r
    join svc_device d on d.tenant_id = r.tenant_id and case when r.alarm_target_type_flag = ${POINT}
      then d.profile_id = (select p.profile_id from svc_point p
        where p.tenant_id = r.tenant_id and p.id = r.entity_id)
      else d.id = r.entity_id end
    where r.tenant_id = ${tenantId} and r.id = ${ruleId} and r.alarm_target_type_flag <> ${DRIVER}
      and r.rule_ext #> '{content,aggregate}' is null
      and (r.rule_ext #> '{content,devices}' is null
        or coalesce(r.rule_ext #> '{content,devices,groupIds}', '[]') = '[]'
          and jsonb_exists(r.rule_ext #> '{content,devices,ids}', d.id::text))
    limit 2`.execute(q);
  const [only, another] = rows;
  return only && !another ? only : { device: '0', driver: '0' };
}

type Asked = Omit<Night['place'], 'rule'> & { from: number; to: number };

/** Maintenances that mute a place within a time: those that run, and those that are planned. */
async function mutesOf(
  q: Queries,
  tenantId: string,
  { device, driver, from, to }: Asked,
): Promise<Mute[]> {
  const place = { device: sql`${device}::bigint`, driver: sql`${driver}::bigint` };
  const { rows } = await sql<{ begin: Date; end: Date }>`
    select m.begin_time as begin, m.end_time as "end" from svc_maintenance m
    where m.tenant_id = ${tenantId} and m.mode_flag = ${MaintenanceMode.MUTE}
      and m.begin_time < ${new Date(to)} and m.end_time > ${new Date(from)} and ${covers(place)}
    order by m.begin_time limit ${MAX_MUTES}`.execute(q);
  return rows.map(({ begin, end }) => ({ from: begin.getTime(), until: end.getTime() }));
}

type Answers = { deliveries: number; success: number | null; medianMs: number | null };

/** What the receivers of channels answered in the last 30 days. */
async function answersOf(
  q: Queries,
  tenantId: string,
  now: number,
  channels: readonly { id: string }[],
): Promise<Map<string, Answers>> {
  if (channels.length === 0) return new Map();
  const { SUCCESS, FAILED } = DeliveryStatus;
  const { rows } = await sql<Answers & { id: string }>`
    select channel_id::text as id, count(*)::int as deliveries,
      (count(*) filter (where status_flag = ${SUCCESS}))::float8 / count(*) as success,
      (percentile_cont(0.5) within group (order by extract(epoch from operate_time - create_time))
        filter (where status_flag = ${SUCCESS}))::float8 * 1000 as "medianMs"
    from svc_notify_history
    where tenant_id = ${tenantId} and channel_id in (${sql.join(channels.map(({ id }) => id))})
      and status_flag in (${SUCCESS}, ${FAILED}) and create_time > ${new Date(now - ANSWERED_MS)}
    group by channel_id`.execute(q);
  return new Map(rows.map(({ id, ...answers }) => [id, answers]));
}

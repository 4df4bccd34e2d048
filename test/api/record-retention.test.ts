import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';

import { oldConversations } from '../../src/agentic/chat/removal.ts';
import { raise } from '../../src/alarm/alarm/raise.ts';
import { oldAlarms, oldNotifications } from '../../src/alarm/old-records.ts';
import { oldEvents } from '../../src/data/ingest/old-events.ts';
import { sweepRecords } from '../../src/data/retention/records.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { onboardQuiet } from '../support/devices/plant.ts';
import type { Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { insertRaw } from '../support/world/raw-rows.ts';

const DAY = 86_400_000;
const DATA = '/api/v3/data';
const KINDS = [oldAlarms, oldNotifications, oldEvents, oldConversations];
const DAYS = { alarmDays: 10, notificationDays: 10, eventDays: 10, conversationDays: 10 };
const TABLES = [
  'svc_entity_alarm',
  'svc_alarm_comment',
  'svc_notify_ledger',
  'svc_notify_history',
  'svc_event_history',
  'svc_session',
  'svc_message',
] as const;
const SUCCESS = 2;

const world = startedWorld();
const ago = (days: number): Date => new Date(world.clock.now() - days * DAY);

type Given = {
  days: number;
  deviceId: string;
  /** RECOVERED where nothing is said. */
  state?: number;
  isConfirmed?: boolean;
  /** A channel is still to hear of it. */
  isOpen?: boolean;
};

/** An alarm of so many days ago with a comment and a delivered notification; its id. */
async function alarm({ tenantId }: Session, given: Given): Promise<string> {
  const { days, deviceId, state = 2, isConfirmed = true, isOpen = false } = given;
  const at = ago(days);
  const id = await inTenant(world.app.db, tenantId, async (q) => {
    const kind = { target: 'DEVICE', type: 'FAULT', source: 'SYSTEM', level: 1 } as const;
    const place = { tenantId, entityId: deviceId, deviceId, now: at.getTime() };
    await raise(q, { ...kind, ...place, message: `blocked ${days}` });
    const { rows } = await sql<{ id: string }>`
      update svc_entity_alarm set state_flag = ${state}, confirm_flag = ${Number(isConfirmed)},
        confirm_time = case when ${isConfirmed} then ${at}::timestamptz end, last_recover_time = ${at}
      where tenant_id = ${tenantId} and id = (select max(id) from svc_entity_alarm where tenant_id = ${tenantId})
      returning id`.execute(q);
    return rows[0]?.id ?? '';
  });
  const of = { tenant_id: tenantId, alarm_id: id };
  await insertRaw(world, 'svc_alarm_comment', {
    ...of,
    comment_text: 'looked at',
    create_time: at,
  });
  await insertRaw(world, 'svc_notify_history', {
    ...of,
    channel_id: '1',
    channel_type_flag: 2,
    status_flag: SUCCESS,
    create_time: at,
    operate_time: at,
  });
  await insertRaw(world, 'svc_notify_ledger', {
    ...of,
    notify_id: '1',
    channel_id: '1',
    ...(!isOpen && { end_time: at }),
  });
  return id;
}

const event = ({ tenantId }: Session, days: number, deviceId: string) =>
  insertRaw(world, 'svc_event_history', {
    tenant_id: tenantId,
    device_id: deviceId,
    record_id: crypto.randomUUID(),
    occur_time: ago(days),
    receive_time: ago(days),
  });

async function conversation({ tenantId, principalId }: Session, days: number): Promise<void> {
  const of = { tenant_id: tenantId, user_id: principalId, conversation_id: `of ${days}` };
  await insertRaw(world, 'svc_session', { ...of, create_time: ago(days), operate_time: ago(days) });
  await insertRaw(world, 'svc_message', {
    ...of,
    message_index: 1,
    role: 'user',
    content: '"how warm is it?"',
  });
}

const counts = ({ tenantId }: Session): Promise<Record<string, number>> =>
  inTenant(world.app.db, tenantId, async (q) => {
    const found: Record<string, number> = {};
    for (const table of TABLES) {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from ${sql.table(table)} where tenant_id = ${tenantId}`.execute(
        q,
      );
      found[table] = rows[0]?.count ?? 0;
    }
    return found;
  });

const alarmsOf = ({ tenantId }: Session): Promise<string[]> =>
  inTenant(world.app.db, tenantId, async (q) => {
    const { rows } = await sql<{ id: string }>`
      select id from svc_entity_alarm where tenant_id = ${tenantId} order by id`.execute(q);
    return rows.map(({ id }) => id);
  });

const addClass = (session: Session, given: object) =>
  session.post(`${DATA}/retention_class/add`, {
    className: 'records',
    defaultFlag: true,
    ...given,
  });

/** As a sweep of the next day finds it. */
async function sweepTomorrow(): Promise<void> {
  world.clock.shift(DAY);
  await sweepRecords(world.app, KINDS);
  world.clock.shift(-DAY);
}

describe('records beside values', () => {
  it('are kept for ever until the class of all devices says for how long', async () => {
    const mine = await world.tenant('record-days');
    const other = await world.tenant('record-other');
    const { deviceId } = await onboardQuiet(world, mine);
    for (const session of [mine, other])
      for (const days of [30, 1]) {
        await alarm(session, { days, deviceId });
        await event(session, days, deviceId);
        await conversation(session, days);
      }
    const before = await counts(mine);
    expect(Object.values(before)).toEqual([2, 2, 2, 2, 2, 2, 2]);
    await sweepTomorrow();
    expect(await counts(mine)).toEqual(before);
    expect((await addClass(mine, DAYS)).status).toBe(200);
    await sweepRecords(world.app, KINDS);
    expect(await counts(mine)).toEqual(before);
    await sweepTomorrow();
    expect(Object.values(await counts(mine))).toEqual([1, 1, 1, 1, 1, 1, 1]);
    expect(await counts(other)).toEqual(before);
  });

  it('that are not over stay: what fires, waits for a confirmation, or has to reach a channel', async () => {
    const mine = await world.tenant('record-open');
    const { deviceId } = await onboardQuiet(world, mine);
    const of = { days: 30, deviceId };
    const kept = [
      await alarm(mine, { ...of, state: 1 }),
      await alarm(mine, { ...of, isConfirmed: false }),
      await alarm(mine, { ...of, isOpen: true }),
    ];
    const closed = await alarm(mine, { ...of, state: 3 });
    // The last alarm of a rule at a place.
    const last = await alarm(mine, of);
    await insertRaw(world, 'svc_rule_state', {
      tenant_id: mine.tenantId,
      alarm_target_type_flag: 1,
      entity_id: deviceId,
      fingerprint: 'the last one',
      alarm_id: last,
    });
    await addClass(mine, DAYS);
    await sweepTomorrow();
    expect(await alarmsOf(mine)).toEqual([...kept, last]);
    expect(await alarmsOf(mine)).not.toContain(closed);
    expect((await counts(mine))['svc_notify_history']).toBe(1);
  });

  it('of a hold stay until it is lifted, conversations where it is of all devices', async () => {
    const mine = await world.tenant('record-hold');
    const [held, free] = [await onboardQuiet(world, mine), await onboardQuiet(world, mine)];
    for (const { deviceId } of [held, free]) {
      await alarm(mine, { days: 30, deviceId });
      await event(mine, 30, deviceId);
    }
    await conversation(mine, 30);
    const hold = (given: object) =>
      mine.data(`${DATA}/retention_hold/add`, { reason: 'it is looked into', ...given });
    const ofDevice = await hold({ holdName: 'incident', deviceId: held.deviceId });
    const ofAll = await hold({ holdName: 'audit', fromTime: ago(31), toTime: ago(29.5) });
    await addClass(mine, DAYS);
    await sweepTomorrow();
    expect(Object.values(await counts(mine))).toEqual([2, 2, 2, 2, 2, 1, 1]);
    await mine.data(`${DATA}/retention_hold/delete`, { id: ofAll });
    await sweepTomorrow();
    expect(Object.values(await counts(mine))).toEqual([1, 1, 1, 1, 1, 0, 0]);
    await mine.data(`${DATA}/retention_hold/delete`, { id: ofDevice });
    await sweepTomorrow();
    expect(Object.values(await counts(mine))).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it('go in slices, all of them in one sweep, and none once the days are taken back', async () => {
    const mine = await world.tenant('record-slices');
    const { deviceId } = await onboardQuiet(world, mine);
    await inTenant(world.app.db, mine.tenantId, (q) =>
      sql`insert into svc_event_history (tenant_id, device_id, record_id, occur_time, receive_time)
        select ${mine.tenantId}, ${deviceId}, gen_random_uuid(), ${ago(30)}, ${ago(30)}
        from generate_series(1, 1201)`.execute(q),
    );
    const { body } = await addClass(mine, { eventDays: 10 });
    const change = { id: body.data, eventDays: null };
    expect((await mine.post(`${DATA}/retention_class/update`, change)).status).toBe(200);
    await sweepTomorrow();
    expect((await counts(mine))['svc_event_history']).toBe(1_201);
    const again = { id: body.data, eventDays: 10 };
    expect((await mine.post(`${DATA}/retention_class/update`, again)).status).toBe(200);
    await sweepTomorrow();
    expect((await counts(mine))['svc_event_history']).toBe(0);
  });

  it('are of no profile: the class of one that names their days is refused', async () => {
    const mine = await world.tenant('record-profile');
    const { profileId } = await onboardQuiet(world, mine);
    const ofProfile = { defaultFlag: false, profileIds: [profileId] };
    const refused = await addClass(mine, { ...ofProfile, alarmDays: 10 });
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain('The class of all devices (defaultFlag) says');
    expect((await addClass(mine, { ...ofProfile, alarmDays: null })).status).toBe(200);
    expect((await addClass(mine, { className: 'all', eventDays: 0 })).status).toBe(400);
    const { body } = await addClass(mine, { className: 'all', ...DAYS });
    const another = await onboardQuiet(world, mine);
    const toProfile = { id: body.data, defaultFlag: false, profileIds: [another.profileId] };
    expect((await mine.post(`${DATA}/retention_class/update`, toProfile)).status).toBe(400);
  });
});

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inTenant } from '../../src/db/tenant.ts';
import { addTo, channelTo, DATA } from '../support/devices/notify.ts';
import { watched } from '../support/devices/watched.ts';
import type { Session } from '../support/people/session.ts';
import { eventually } from '../support/world/eventually.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, type Site, toolNamed } from './agent.ts';

const Found = z.object({
  counts: z.object({ firing: z.int(), recoveredUnconfirmed: z.int() }),
  returned: z.int(),
  nextCursor: z.string().nullable(),
  records: z.array(
    z.looseObject({
      alarmId: z.string(),
      state: z.string(),
      level: z.string(),
      device: z.string().optional(),
      occurrences: z.int(),
      notified: z.array(z.looseObject({ channel: z.string() })).optional(),
    }),
  ),
  near: z.array(z.string()).optional(),
});
type Found = z.infer<typeof Found>;

const world = startedWorld();

const search = async (session: Session, input: object = {}): Promise<Found> => {
  const answer = await toolNamed('searchAlarms').run(world.app, agentIn(session), input);
  expect(countTokens(JSON.stringify(answer))).toBeLessThanOrEqual(1_500);
  return Found.parse(answer);
};
async function whole(
  session: Session,
  input: object,
): Promise<{ rows: Found['records']; pages: number }> {
  const rows: Found['records'] = [];
  let pages = 0;
  for (let cursor: string | null | undefined; cursor !== null && pages < 50; pages += 1) {
    const page = await search(session, { ...input, ...(cursor ? { cursor } : {}) });
    rows.push(...page.records);
    cursor = page.nextCursor;
  }
  return { rows, pages };
}

describe('searchAlarms', () => {
  it('lists what fires first, by level, whatever flaps; one row for each rule and place', async () => {
    const mine = await world.tenant('order');
    const minor = await watched(world, mine, 'minor', { severity: 'P3' });
    const major = await watched(world, mine, 'major');
    const over = await watched(world, mine, 'over', { severity: 'P0' });
    const flapping = await watched(world, mine, 'flapping', { severity: 'P1' });
    await minor.measure(81);
    await major.measure(81);
    await over.measure(81, 20);
    for (let round = 0; round < 30; round += 1) await flapping.measure(81, 20);
    await flapping.measure(82);

    const { counts, records: rows, nextCursor } = await search(mine);
    // One for each row that waits for a confirmation, however often it came.
    expect(counts).toEqual({ firing: 3, recoveredUnconfirmed: 2 });
    expect(nextCursor).toBeNull();
    expect(rows.map(({ device, state, occurrences }) => [device, state, occurrences])).toEqual([
      ['flapping device', 'FIRING', 31],
      ['major device', 'FIRING', 1],
      ['minor device', 'FIRING', 1],
      ['over device', 'RECOVERED', 1],
    ]);
    const firing = await search(mine, { state: 'FIRING', level: 'P2' });
    expect(firing.records.map(({ device }) => device)).toEqual(['major device']);
    const recovered = await search(mine, { state: 'RECOVERED' });
    expect(recovered.records).toMatchObject([
      { device: 'over device', level: 'P0' },
      { device: 'flapping device', occurrences: 30 },
    ]);
  });

  it('counts what is at the device, of the level and with the words of its filters, in any state', async () => {
    const mine = await world.tenant('counts');
    const hot = await watched(world, mine, 'hot', { severity: 'P1' });
    const over = await watched(world, mine, 'over');
    await hot.measure(81);
    await over.measure(81, 20);
    const countsOf = async (input: object) => (await search(mine, input)).counts;
    const hotOnly = { firing: 1, recoveredUnconfirmed: 0 };
    const overOnly = { firing: 0, recoveredUnconfirmed: 1 };
    expect(await countsOf({ deviceId: 'hot device' })).toEqual(hotOnly);
    expect(await countsOf({ deviceId: 'over device', state: 'FIRING' })).toEqual(overOnly);
    expect(await countsOf({ level: 'P2' })).toEqual(overOnly);
    expect(await countsOf({ query: 'hot device' })).toEqual(hotOnly);
    expect(await countsOf({})).toEqual({ firing: 1, recoveredUnconfirmed: 1 });
  });

  it('names device, point and rule, the value and its limit with unit, and who was notified or why not', async () => {
    const mine = await world.tenant('facts');
    const mail = {
      channelName: 'duty mail',
      channelTypeFlag: 'EMAIL',
      target: 'duty@plant.example',
    };
    const urgent = {
      channelName: 'night shift',
      channelTypeFlag: 'EMAIL',
      target: 'n@plant.example',
    };
    const notifyId = await addTo(mine, 'notify', { notifyName: 'duty' });
    const bind = (channelId: string, bindExt?: object) =>
      addTo(mine, 'notify/channel/bind', { notifyId, channelId, bindExt });
    await bind(await channelTo(mine, mail));
    await bind(await channelTo(mine, urgent), { content: { levels: ['P0'] } });
    const { site, ruleId, measure } = await watched(world, mine, 'boiler', { notifyId });
    await measure(81.5);
    const { records: rows } = await eventually(
      () => search(mine),
      (found) => JSON.stringify(found).includes('no mail server'),
    );
    const row = {
      state: 'FIRING',
      level: 'P2',
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      deviceId: site.deviceId,
      device: 'boiler device',
      pointId: site.pointId,
      point: 'boiler set-point',
      rule: 'boiler too hot',
      condition: '> 80 °C',
      value: '81.5 °C',
      occurrences: 1,
      confirmed: false,
      notified: [
        { channel: 'duty mail', ok: false, why: 'no mail server is configured (SVC_SMTP_URL)' },
        {
          channel: 'night shift',
          ok: false,
          why: 'not sent: it does not take alarms of this level',
        },
      ],
    };
    expect(rows).toEqual([{ alarmId: expect.stringMatching(/^\d+$/), ...row }]);
    const permissions = new Set(['svc-center-data:dashboard:list']);
    const blind = { ...agentIn(mine), permissions };
    const shown = JSON.stringify(await toolNamed('searchAlarms').run(world.app, blind, {}));
    expect(shown).not.toContain('notified');
    // As it fired, whatever becomes of rule and point.
    const content = { condition: { field: 'calValue', operator: '>', threshold: 95 } };
    await mine.data(`${DATA}/rule/update`, {
      id: ruleId,
      ruleName: 'renamed',
      ruleExt: { content },
    });
    await mine.data('/api/v3/manager/point/update', { id: site.pointId, unit: 'K' });
    expect((await search(mine)).records).toMatchObject([{ ...row, state: 'CLOSED' }]);
    await mine.data(`${DATA}/rule/delete`, { id: ruleId });
    expect((await search(mine)).records).toMatchObject([{ ...row, state: 'CLOSED' }]);
  });

  it('finds by place, time and words, and nothing of another tenant', async () => {
    const mine = await world.tenant('filters');
    const first = await watched(world, mine, 'first');
    await first.measure(81, 20);
    world.clock.shift(7_200_000);
    const second = await watched(world, mine, 'second');
    await second.measure(81);
    const devices = async (input: object) =>
      (await search(mine, input)).records.map(({ device }) => device);
    expect(await devices({ deviceId: first.site.deviceId })).toEqual(['first device']);
    expect(await devices({ deviceId: 'device first' })).toEqual(['first device']);
    const groupId = await mine.data('/api/v3/manager/group/add', {
      groupName: 'boiler house',
      groupTypeFlag: 'DEVICE',
    });
    await mine.data('/api/v3/manager/group_bind/add', {
      groupId,
      entityId: second.site.deviceId,
      entityTypeFlag: 'DEVICE',
    });
    expect(await devices({ groupId: 'boiler house' })).toEqual(['second device']);
    expect(await devices({ query: 'FIRST too' })).toEqual(['first device']);
    expect(await search(mine, { query: 'frist devise' })).toMatchObject({
      records: [],
      near: ['first device'],
    });
    expect(await devices({ query: 'set-point' })).toEqual(['second device', 'first device']);
    expect(await devices({ since: 1 })).toEqual(['second device']);
    const until = new Date(world.clock.now() - 3_600_000).toISOString();
    expect(await devices({ until })).toEqual(['first device']);
    expect(await devices({ since: until, state: 'RECOVERED' })).toEqual([]);
    expect((await search(await world.tenant('nobody'))).records).toEqual([]);
  });

  it('reaches the whole history page by page, each rule and place once', async () => {
    const mine = await world.tenant('history');
    const { site } = await watched(world, mine, 'plant');
    const now = world.clock.now();
    await past(mine, site, { now, alarms: 1_200, rule: () => 1 });
    await past(mine, site, { now, alarms: 300, rule: (alarm) => 2 + (alarm % 40) });
    const { rows, pages } = await whole(mine, { state: 'CLOSED' });
    expect(rows).toHaveLength(41);
    expect(new Set(rows.map(({ rule }) => rule)).size).toBe(41);
    expect(rows.find(({ rule }) => rule === 'rule 1')?.occurrences).toBe(100);
    expect(pages).toBeLessThan(12);
    const since = new Date(now - 300_500).toISOString();
    const window = await whole(mine, { since });
    expect(window.rows.reduce((sum, { occurrences }) => sum + occurrences, 0)).toBe(100 + 300);
    expect((await search(mine)).records).toEqual([]);
  });

  it.each(['1', '9.1.1', '8.x.1', 'x'])('refuses the cursor %s', async (cursor) => {
    await expect(search(world.admin, { cursor })).rejects.toThrow('nextCursor');
  });
});

/** Closed alarms, one a second, the newest a second before `now`. */
async function past(
  { tenantId }: Session,
  { deviceId, pointId }: Site,
  { now, alarms, rule }: { now: number; alarms: number; rule(alarm: number): number },
): Promise<void> {
  const rules = Array.from({ length: alarms }, (_, alarm) => String(rule(alarm)));
  await inTenant(world.app.db, tenantId, (q) =>
    sql`insert into svc_entity_alarm (tenant_id, alarm_target_type_flag, entity_id, device_id, point_id, rule_id,
        alarm_type_flag, alarm_source_flag, state_flag, confirm_flag, create_time, alarm_ext)
      select ${tenantId}::bigint, 0, ${pointId}::bigint, ${deviceId}::bigint, ${pointId}::bigint, rule, 0, 0, 3, 1,
        ${new Date(now)}::timestamptz - n * interval '1 second',
        jsonb_build_object('ruleName', 'rule ' || rule, 'condition', '{"operator":"nodata"}'::jsonb, 'values', '{}'::jsonb,
          'window', '{"mode":"LAST","duration":"PT5M"}'::jsonb)
      from unnest(${rules}::bigint[]) with ordinality as r (rule, n)`.execute(q),
  );
}

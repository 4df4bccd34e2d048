import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { addTo, channelTo, DATA } from '../support/devices/notify.ts';
import { watched } from '../support/devices/watched.ts';
import type { Session } from '../support/people/session.ts';
import { eventually } from '../support/world/eventually.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboardVirtual, report, toolNamed } from './agent.ts';

const MANAGER = '/api/v3/manager';

const Found = z.object({ records: z.array(z.looseObject({ alarmId: z.string() })) });

const world = startedWorld();

const alarms = async (session: Session, input: object = {}) =>
  Found.parse(await toolNamed('searchAlarms').run(world.app, agentIn(session), input));

const Report = z.looseObject({
  timeline: z.array(z.looseObject({ at: z.string(), what: z.string() })).optional(),
  occurrences: z.object({
    last24h: z.int(),
    last7d: z.int(),
    latest: z.array(z.looseObject({})).optional(),
  }),
  changes: z.array(z.looseObject({ what: z.string() })).optional(),
});

async function lookup(session: Session, alarmId: string | undefined, caller = agentIn(session)) {
  const answer = await toolNamed('lookupAlarmById').run(world.app, caller, { alarmId });
  expect(countTokens(JSON.stringify(answer))).toBeLessThanOrEqual(1_200);
  return Report.parse(JSON.parse(JSON.stringify(answer)));
}

describe('lookupAlarmById', () => {
  it('explains an alarm: rule, margin, values around, what was changed near it, and its whole course', async () => {
    const mine = await world.tenant('explained');
    const notifyId = await addTo(mine, 'notify', { notifyName: 'duty' });
    const mail = {
      channelName: 'duty mail',
      channelTypeFlag: 'EMAIL',
      target: 'duty@plant.example',
    };
    const channelId = await channelTo(mine, mail);
    await addTo(mine, 'notify/channel/bind', { notifyId, channelId });
    const { site, measure } = await watched(world, mine, 'boiler', { notifyId, unit: '°C' });
    await measure(78, 79, 81.5, 82, 20);
    const { records } = await alarms(mine, { state: 'RECOVERED' });
    const alarmId = records[0]?.alarmId;
    await mine.data(`${DATA}/dashboard/alert/confirm`, { source: 'point', id: alarmId });
    await measure(85);
    await eventually(
      () => lookup(mine, alarmId),
      (found) => JSON.stringify(found).includes('no mail server'),
    );
    const found = await lookup(mine, alarmId);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/);
    expect(found).toMatchObject({
      alarmId,
      state: 'CLOSED',
      level: 'P2',
      durationS: expect.any(Number),
      confirmed: true,
      device: 'boiler device',
      point: 'boiler set-point',
      rule: 'boiler too hot',
      condition: '> 80 °C',
      value: '81.5 °C',
      margin: '1.5 °C',
      // Whether an end was written beside it depends on which of the two was faster.
      notified: expect.arrayContaining([
        expect.objectContaining({
          channel: 'duty mail',
          kind: 'EMAIL',
          about: 'FIRED',
          status: 'FAILED',
          to: 'd…@plant.example',
          why: 'no mail server is configured (SVC_SMTP_URL)',
        }),
      ]),
      valuesAround: { columns: ['s', 'value'] },
      occurrences: { last24h: 2, last7d: 2, latest: [{ since: time }] },
    });
    expect(found).not.toHaveProperty('confirmWith');
    expect(found['valuesAround']).toMatchObject({
      rows: ['78', '79', '81.5', '82', '20', '85'].map((value) => [expect.any(Number), value]),
    });
    expect(found.timeline).toEqual([
      { at: time, what: 'fired' },
      { at: time, what: 'recovered' },
      { at: time, what: 'not sent to “duty mail”: the channel did not get the alarm' },
      { at: time, what: 'confirmed', by: 'explained-admin' },
    ]);
    expect(found.changes?.map(({ what }) => what)).toEqual(['device added', 'point added']);
    expect(JSON.stringify(await lookup(mine, (await alarms(mine)).records[0]?.alarmId))).toContain(
      'Only a human, with an interactive login',
    );
    const few = { ...agentIn(mine), permissions: new Set(['svc-center-data:dashboard:list']) };
    const little = await lookup(mine, alarmId, few);
    for (const part of ['changes', 'notified', 'valuesAround'])
      expect(little).not.toHaveProperty(part);
    await mine.data('/api/v3/manager/device/delete', { id: site.deviceId }).catch(() => {});
    expect(await lookup(mine, alarmId)).toMatchObject({ rule: 'boiler too hot', margin: '1.5 °C' });
  });

  it('ranks what may have led to an alarm, the same at every door', async () => {
    const mine = await world.tenant('causes');
    const { ruleId, measure } = await watched(world, mine, 'oven');
    await measure(70);
    const content = { condition: { field: 'calValue', operator: '>', threshold: 60 } };
    world.clock.shift(100);
    await mine.data(`${DATA}/rule/update`, { id: ruleId, ruleExt: { content } });
    await measure(71);
    const alarmId = (await alarms(mine)).records[0]?.alarmId ?? '';
    const { causes } = z
      .object({ causes: z.array(z.looseObject({ evidence: z.array(z.looseObject({})) })) })
      .parse(await mine.data(`${DATA}/dashboard/alert/report`, undefined, { alarmId }));
    expect(causes[0]).toMatchObject({
      kind: 'RULE',
      say: expect.stringContaining('rule “oven too hot” changed: condition.threshold “80” → “60”'),
      why: 'change of its rule (88), as it began (× 1)',
      evidence: [{ kind: 'change', id: ruleId }],
    });
    const said = (list: unknown) =>
      z
        .array(z.object({ kind: z.string(), say: z.string(), score: z.number(), why: z.string() }))
        .parse(list);
    expect(said((await lookup(mine, alarmId))['causes'])).toEqual(said(causes));
    const few = { ...agentIn(mine), permissions: new Set(['svc-center-data:dashboard:list']) };
    expect(await lookup(mine, alarmId, few)).not.toHaveProperty('causes');
  });

  it('names as one cause what one person set up, with its place, and folds changes that are alike', async () => {
    const mine = await world.tenant('set-up');
    const site = await onboardVirtual(world, 'stove', mine);
    const attributes = await mine.data(`${MANAGER}/point_attribute/list_by_driver_id`, undefined, {
      driver_id: site.driverId,
    });
    const free = z
      .array(z.looseObject({ id: z.string(), attributeCode: z.string() }))
      .parse(attributes)
      .filter(({ attributeCode: code }) => ['min', 'max', 'periodS'].includes(code));
    for (const { id: attributeId } of free)
      await mine.data(`${MANAGER}/point_attribute_config/add`, {
        attributeId,
        deviceId: site.deviceId,
        pointId: site.pointId,
        configValue: '7',
      });
    await addTo(mine, 'rule', {
      ruleName: 'stove too hot',
      alarmTargetTypeFlag: 'POINT',
      entityId: site.pointId,
      ruleExt: { content: { condition: { field: 'calValue', operator: '>', threshold: 80 } } },
    });
    world.clock.shift(100);
    await report(world, mine, site, [90]);
    const found = await lookup(mine, (await alarms(mine)).records[0]?.alarmId);
    const causes = z
      .array(z.looseObject({ kind: z.string(), say: z.string() }))
      .parse(found['causes']);
    expect(causes.filter(({ kind }) => kind === 'CONFIGURATION')).toMatchObject([
      { say: expect.stringContaining('“stove set-point”') },
    ]);
    expect(found.changes?.[0]).toMatchObject({
      what: '5 × point setting added',
      by: 'set-up-admin',
    });
  });

  it('names the maintenance that its place was in when it began', async () => {
    const mine = await world.tenant('at-work');
    const { site, measure } = await watched(world, mine, 'press');
    const id = await addTo(mine, 'maintenance', {
      maintenanceName: 'Belt change',
      scopeFlag: 'DEVICE',
      entityIds: [site.deviceId],
      owner: 'Anna',
      endTime: world.clock.now() + 3_600_000,
    });
    world.clock.shift(60_000);
    await measure(81);
    const alarmId = (await alarms(mine)).records[0]?.alarmId ?? '';
    const { causes } = z
      .object({ causes: z.array(z.looseObject({ kind: z.string() })) })
      .parse(await mine.data(`${DATA}/dashboard/alert/report`, undefined, { alarmId }));
    expect(causes).toContainEqual(
      expect.objectContaining({
        kind: 'MAINTENANCE',
        say: expect.stringMatching(/^It was in maintenance: “Belt change” by “Anna”, since .+\.$/),
        evidence: [expect.objectContaining({ kind: 'maintenance', id })],
      }),
    );
    const cited = await mine.get(`${DATA}/maintenance/get_by_id`, { id });
    expect(cited.status).toBe(200);
  });

  it('says that a policy confirmed, that a rule ended it, and whom the policy left out', async () => {
    const mine = await world.tenant('policies');
    const notifyId = await addTo(mine, 'notify', { notifyName: 'auto', autoConfirmFlag: 'AUTO' });
    const channelId = await channelTo(mine, {
      channelName: 'night',
      channelTypeFlag: 'EMAIL',
      target: 'n@plant.example',
    });
    await addTo(mine, 'notify/channel/bind', {
      notifyId,
      channelId,
      bindExt: { content: { levels: ['P0'] } },
    });
    const { ruleId, measure } = await watched(world, mine, 'kiln', { notifyId });
    await measure(81, 20);
    const [first] = (await alarms(mine, { state: 'CLOSED' })).records;
    const steps = (await lookup(mine, first?.alarmId)).timeline?.map(({ what }) => what);
    expect(steps?.toSorted()).toEqual([
      'confirmed by its policy',
      'fired',
      'not sent to “night”: it does not take alarms of this level',
      'recovered',
    ]);
    await measure(90);
    await mine.data(`${DATA}/rule/delete`, { id: ruleId });
    const [ended] = (await alarms(mine)).records;
    const { timeline } = await lookup(mine, ended?.alarmId);
    expect(timeline?.at(-1)).toMatchObject({
      what: 'ended without recovery: its rule was deleted',
    });
  });

  it('answers for an alarm of another tenant as for a missing one', async () => {
    const [own] = (await alarms(await world.tenant('owner'), {})).records;
    expect(own).toBeUndefined();
    for (const alarmId of ['1', '999999'])
      await expect(lookup(await world.tenant(`other${alarmId}`), alarmId)).rejects.toThrow('Alarm');
  });
});

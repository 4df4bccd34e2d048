import { type RawBuilder, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { warningsOf as ofRules } from '../../src/alarm/validation/warnings.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { addTo, DATA } from '../support/devices/notify.ts';
import { add } from '../support/devices/plant.ts';
import { watched } from '../support/devices/watched.ts';
import { worker } from '../support/people/accounts.ts';
import type { Session } from '../support/people/session.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from '../tools/agent.ts';

/** Rows of a tenant past every check of ours: there are too many to send. */
const insert = ({ tenantId }: Session, rows: (tenant: string) => RawBuilder<unknown>) =>
  inTenant(world.app.db, tenantId, (q) => rows(tenantId).execute(q));

const MANAGER = '/api/v3/manager';
const world = startedWorld();

const Warned = z.looseObject({ id: z.string(), warnings: z.array(z.string()) });
const read = async (session: Session, id: string) =>
  Warned.parse(await session.data(`${DATA}/rule/get_by_id`, undefined, { id }));
const warningsOf = async (session: Session, id: string) => (await read(session, id)).warnings;
const ruleOn = (session: Session, entityId: string, content: object) =>
  addTo(session, 'rule', {
    ruleName: fresh('warned'),
    alarmTargetTypeFlag: 'POINT',
    entityId,
    ruleExt: { content },
  });
const pointIn = (session: Session, { profileId }: { profileId: string }, pointTypeFlag: string) =>
  add(session, 'point', {
    pointName: fresh('point'),
    pointTypeFlag,
    rwFlag: 'READ_ONLY',
    profileId,
  });
const above = { field: 'value', operator: '>', threshold: 80 };

describe('the warnings of a rule', () => {
  it('are answered with it, by id, and to agents: no number, texts, and what every value meets', async () => {
    const mine = await world.tenant('warned');
    const { site, ruleId, measure } = await watched(world, mine, 'kiln');
    const lookup = async () =>
      z
        .looseObject({ warnings: z.array(z.string()).optional() })
        .parse(await toolNamed('lookupRuleById').run(world.app, agentIn(mine), { ruleId }))
        .warnings;
    expect(await warningsOf(mine, ruleId)).toEqual(['NO_NUMBER']);
    expect(await lookup()).toEqual([expect.stringContaining('is a number that it compares')]);
    await measure(70);
    expect(await warningsOf(mine, ruleId)).toEqual([]);
    expect(await lookup()).toBeUndefined();
    const every = await ruleOn(mine, site.pointId, { condition: { ...above, operator: '!=' } });
    expect(await warningsOf(mine, every)).toEqual([]);
    const code = await pointIn(mine, site, 'STRING');
    expect(await warningsOf(mine, await ruleOn(mine, code, { condition: above }))).toEqual([
      'TEXT',
    ]);
    const flag = await pointIn(mine, site, 'BOOLEAN');
    const met = { field: 'value', operator: '>=', threshold: 0 };
    expect(await warningsOf(mine, await ruleOn(mine, flag, { condition: met }))).toEqual(['EVERY']);
  });

  it('say that nothing that it watches is enabled, and that it can never do what it says', async () => {
    const mine = await world.tenant('warned-never');
    const { site, ruleId, measure } = await watched(world, mine, 'kiln');
    await measure(70);
    const ofDevice = await addTo(mine, 'rule', {
      ruleName: 'away',
      alarmTargetTypeFlag: 'DEVICE',
      entityId: site.deviceId,
      ruleExt: {
        content: { condition: { field: 'statusName', operator: 'eq', expected: 'OFFLINE' } },
      },
    });
    const turned = (enableFlag: string) =>
      mine.data(`${MANAGER}/device/update`, { id: site.deviceId, enableFlag });
    await turned('DISABLE');
    for (const id of [ruleId, ofDevice]) expect(await warningsOf(mine, id)).toEqual(['NOTHING']);
    await turned('ENABLE');
    for (const id of [ruleId, ofDevice]) expect(await warningsOf(mine, id)).toEqual([]);
    const free = await pointIn(mine, site, 'DOUBLE');
    const id = await ruleOn(mine, free, { condition: above });
    expect(await warningsOf(mine, id)).toEqual(['NO_NUMBER']);
    await mine.data(`${MANAGER}/point/update`, { id: free, pointTypeFlag: 'BOOLEAN' });
    expect(await warningsOf(mine, id)).toEqual(['NEVER']);
  });

  it('can be sent back with it, without effect', async () => {
    const mine = await world.tenant('warned-back');
    const { ruleId } = await watched(world, mine, 'kiln');
    const rule = await read(mine, ruleId);
    expect((await mine.post(`${DATA}/rule/update`, rule)).status).toBe(200);
    expect(await warningsOf(mine, ruleId)).toEqual(rule.warnings);
  });

  it('say nothing of values without the right to read them', async () => {
    const mine = await world.tenant('warned-right');
    const { ruleId } = await watched(world, mine, 'kiln');
    const { session } = await worker(mine, ['svc-center-data:rule:get']);
    expect(await warningsOf(session, ruleId)).toEqual([]);
  });
});

describe('a rule of which not all is looked at', () => {
  it('is warned of: more than 100,000 chosen places, and 1,000 devices of its group or 100 together', async () => {
    const mine = await world.tenant('warned-more');
    const { site, measure } = await watched(world, mine, 'kiln');
    const { deviceId, driverId, profileId, pointId } = site;
    await measure(70);
    const groupId = await add(mine, 'group', { groupName: 'all', groupTypeFlag: 'DEVICE' });
    const bound = (from: number, to: number) =>
      insert(
        mine,
        (
          tenant,
        ) => sql`insert into svc_group_bind (tenant_id, entity_type_flag, group_id, entity_id)
          select ${tenant}::bigint, b.entity_type_flag, b.group_id, ${deviceId}::bigint + each from svc_group_bind b, generate_series(${from}::int, ${to}::int) each
          where b.tenant_id = ${tenant} and b.entity_id = ${deviceId}`,
      );
    await add(mine, 'group_bind', { groupId, entityTypeFlag: 'DEVICE', entityId: deviceId });
    await insert(
      mine,
      (
        tenant,
      ) => sql`insert into svc_device (id, tenant_id, device_name, device_code, driver_id, profile_id)
        overriding system value select ${deviceId}::bigint + each, ${tenant}::bigint, 'kiln ' || each, 'kiln-' || each,
          ${driverId}::bigint, ${profileId}::bigint from generate_series(1000000, 1000999) each`,
    );
    await bound(1_000_000, 1_000_098);
    const chosen = { condition: above, devices: { groupIds: [groupId] } };
    const together = await ruleOn(mine, pointId, { ...chosen, aggregate: { function: 'ANY' } });
    expect(await warningsOf(mine, together)).toEqual([]);
    const previewed = async (content: object) => {
      const ruleExt = { content };
      const tried = await mine.data(`${DATA}/rule/preview`, { pointId, ruleExt });
      const { warnings } = Warned.omit({ id: true }).parse(tried);
      return warnings.filter((code) => code === 'PEERS');
    };
    await bound(1_000_099, 1_000_998);
    expect(await warningsOf(mine, together)).toEqual(['PEERS']);
    const far = { condition: { field: 'deviation', operator: '>', threshold: 5 } };
    const ofPeers = { ...far, peers: { groupId } };
    const ofGroup = await ruleOn(mine, pointId, ofPeers);
    expect(await previewed(ofPeers)).toEqual([]);
    const rules = [];
    for (let count = 0; count < 20; count += 1) rules.push(await ruleOn(mine, pointId, chosen));
    for (const id of [ofGroup, ...rules]) expect(await warningsOf(mine, id)).toEqual([]);
    await bound(1_000_999, 1_004_999);
    expect(await warningsOf(mine, ofGroup)).toEqual(['PEERS']);
    expect(await previewed(ofPeers)).toEqual(['PEERS']);
    expect(await warningsOf(mine, rules.at(-1) ?? '')).toEqual(['PLACES']);
  });

  it('is not warned of what another device may have: beyond 1,000 of it, or 100 where all rules are looked at', async () => {
    const mine = await world.tenant('warned-many');
    const { site, ruleId } = await watched(world, mine, 'kiln');
    const { deviceId, driverId, profileId, pointId } = site;
    const { rows } = await insert(
      mine,
      (
        tenant,
      ) => sql`insert into svc_device (id, tenant_id, device_name, device_code, driver_id, profile_id)
        overriding system value select ${deviceId}::bigint + each, ${tenant}::bigint, 'kiln ' || each, 'many-' || each,
          ${driverId}::bigint, ${profileId}::bigint from generate_series(2000000, 2000999) each returning id`,
    );
    const others = z.array(z.object({ id: z.string() })).parse(rows);
    const groupId = await add(mine, 'group', { groupName: 'few', groupTypeFlag: 'DEVICE' });
    await add(mine, 'group_bind', { groupId, entityTypeFlag: 'DEVICE', entityId: deviceId });
    const few = [];
    for (const devices of [{ ids: [deviceId] }, { groupIds: [groupId] }])
      few.push(await ruleOn(mine, pointId, { condition: above, devices }));
    const leave = (count: number) =>
      insert(
        mine,
        (tenant) => sql`delete from svc_device where tenant_id = ${tenant}
          and id = any(${others.slice(count - 1).map(({ id }) => id)}::bigint[])`,
      );
    const gap = async () =>
      z
        .object({ rules: z.array(z.object({ ruleId: z.string() })) })
        .parse(await mine.data(`${DATA}/dashboard/coverage/gap`))
        .rules.map((rule) => rule.ruleId);
    for (const id of few) expect(await warningsOf(mine, id)).toEqual(['NO_NUMBER']);
    expect(await warningsOf(mine, ruleId)).toEqual([]);
    await leave(1_000);
    expect(await warningsOf(mine, ruleId)).toEqual(['NO_NUMBER']);
    expect(await gap()).toEqual(few);
    await leave(101);
    expect(await gap()).toEqual(few);
    await leave(100);
    expect(await gap()).toEqual([ruleId, ...few]);
    await mine.data(`${MANAGER}/driver/update`, { id: driverId, enableFlag: 'DISABLE' });
    for (const id of [ruleId, ...few]) expect(await warningsOf(mine, id)).toEqual(['NOTHING']);
  });

  it('is warned of: more limits of devices than are read', async () => {
    const mine = await world.tenant('warned-limits');
    const { site, measure } = await watched(world, mine, 'kiln');
    const { deviceId, driverId, profileId, pointId } = site;
    await measure(70);
    const attributeId = await add(mine, 'driver_attribute', {
      attributeName: 'limit',
      attributeCode: 'limit',
      attributeTypeFlag: 'DOUBLE',
      driverId,
    });
    const limit = (device: string) =>
      add(mine, 'driver_attribute_config', { attributeId, deviceId: device, configValue: '90' });
    const ruleId = await ruleOn(mine, pointId, { condition: { ...above, attribute: 'limit' } });
    const warned = () =>
      inTenant(world.app.db, mine.tenantId, (q) => ofRules(q, agentIn(mine), { ruleId }, 1));
    await limit(deviceId);
    expect(await warned()).toMatchObject([{ ruleId, warnings: [] }]);
    await limit(await add(mine, 'device', { deviceName: fresh('kiln'), driverId, profileId }));
    expect(await warned()).toMatchObject([{ ruleId, warnings: ['LIMITS'] }]);
    expect(await warningsOf(mine, ruleId)).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { confirm } from '../../src/agentic/decision/decision.ts';
import { dispatch } from '../../src/data/write/dispatch.ts';
import { insertWrite } from '../../src/data/write/dispatch.ts';
import { checkWrite } from '../../src/data/write/write-check.ts';
import { inTenant } from '../../src/db/tenant.ts';
import type { Caller } from '../../src/kernel/app/app.ts';
import { beforeDispatch } from '../support/devices/before-dispatch.ts';
import { add, pointAttributes } from '../support/devices/plant.ts';
import { Action, actionsIn, LIFE_MS } from '../support/people/actions.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboardVirtual, type Site } from '../tools/agent.ts';

const MANAGER = '/api/v3/manager';
const Row = z.looseObject({ id: z.string(), attributeCode: z.string() });
const Refused = z.object({ card: Action, changes: z.array(z.string()) });

const human = (): Caller => ({ ...agentIn(session), via: 'login', principalType: 'USER' });

const world = startedWorld();
const session = prepared(() => world.admin);
const actions = prepared(() => actionsIn(world, session));

const site = () => onboardVirtual(world, fresh('site'));
const update = (noun: string, body: object) => session.data(`${MANAGER}/${noun}/update`, body);

/** Sets a config of the device, or of its point, whether there is one or not. */
async function configure({ driverId, deviceId, pointId }: Site, code: string, configValue: string) {
  const attributeId = (await pointAttributes(session, driverId)).get(code);
  const path = 'point_attribute_config';
  const given = { device_id: deviceId, point_id: pointId };
  const rows = z
    .array(Row)
    .parse(
      await session.data(`${MANAGER}/${path}/list_by_device_id_and_point_id`, undefined, given),
    );
  const there = rows.find(({ attributeCode }) => attributeCode === code);
  if (there) return update(path, { id: there.id, configValue });
  return add(session, path, { deviceId, pointId, attributeId, configValue });
}

async function deviceAttribute(driverId: string, code: string): Promise<string | undefined> {
  const rows = await session.data(`${MANAGER}/driver_attribute/list_by_driver_id`, undefined, {
    driver_id: driverId,
  });
  return z
    .array(Row)
    .parse(rows)
    .find(({ attributeCode }) => attributeCode === code)?.id;
}

async function driverNamed(driverCode: string): Promise<string> {
  const found = await session.data(`${MANAGER}/driver/list`, { driverCode });
  const { records } = z.object({ records: z.array(z.object({ id: z.string() })) }).parse(found);
  return records[0]?.id ?? '';
}

const changes: [string, string, (site: Site) => Promise<unknown>][] = [
  [
    'the scaling',
    'multiple changed from “1” to “0.5”',
    ({ pointId }) => update('point', { id: pointId, multiple: 0.5 }),
  ],
  [
    'the base',
    'base changed from “0” to “3”',
    ({ pointId }) => update('point', { id: pointId, baseValue: 3 }),
  ],
  [
    'the decimals',
    'decimals changed',
    ({ pointId }) => update('point', { id: pointId, valueDecimal: 1 }),
  ],
  [
    'the type',
    'type changed from “DOUBLE” to “FLOAT”',
    ({ pointId }) => update('point', { id: pointId, pointTypeFlag: 'FLOAT' }),
  ],
  [
    'the access',
    'access changed',
    ({ pointId }) => update('point', { id: pointId, rwFlag: 'WRITE_ONLY' }),
  ],
  [
    'a limit',
    'upper limit changed from “30” to “29”',
    ({ pointId }) => update('point', { id: pointId, maxValue: 29 }),
  ],
  [
    'the unit',
    'the unit changed from “°C” to “°F”',
    ({ pointId }) => update('point', { id: pointId, unit: '°F' }),
  ],
  [
    'a setting of the point',
    'point setting tag changed from “TAG” to “valve”',
    (at) => configure(at, 'tag', 'valve'),
  ],
  [
    'a setting of the device',
    'device setting host changed from “localhost” to “elsewhere”',
    async ({ driverId, deviceId }) =>
      add(session, 'driver_attribute_config', {
        deviceId,
        attributeId: await deviceAttribute(driverId, 'host'),
        configValue: 'elsewhere',
      }),
  ],
  [
    'the driver',
    'driver changed from “VirtualDriver',
    async ({ deviceId }) =>
      update('device', { id: deviceId, driverId: await driverNamed('Lwm2mDriver') }),
  ],
];

describe('412', () => {
  it.each(changes)(
    'is the answer after %s changed, with a fresh card',
    async (_what, words, change) => {
      const target = await site();
      const card = await actions.proposeIn(target, '25');
      await change(target);
      const { status, body } = await actions.decide('confirm', card.actionId, {
        digest: card.digest,
      });
      expect(status).toBe(412);
      const refused = Refused.parse(body.data);
      expect(refused.changes).toContainEqual(expect.stringContaining(words));
      expect(body.message).toContain('has changed');
      expect(refused.card).toMatchObject({
        status: 'PENDING',
        digestRequired: true,
        expiresAt: card.expiresAt,
        changes: refused.changes,
      });
      expect(refused.card.digest).not.toBe(card.digest);
      expect((await actions.decide('confirm', card.actionId)).status).toBe(412);
      expect(await actions.commandsOf(card.actionId)).toEqual([]);
      const { digest } = refused.card;
      expect((await actions.decide('confirm', card.actionId, { digest })).status).toBe(200);
      expect(await actions.commandsOf(card.actionId)).toHaveLength(1);
    },
  );

  it('covers a secret without telling it', async () => {
    const driverId = await driverNamed('Lwm2mDriver');
    const { profileId, pointId } = await site();
    const deviceName = fresh('meter');
    const deviceId = await add(session, 'device', { deviceName, driverId, profileId });
    const attributeId = await deviceAttribute(driverId, 'pskKey');
    const secret = { deviceId, attributeId, configValue: 'aabbccdd' };
    const id = await add(session, 'driver_attribute_config', secret);
    const target = { driverId, driverCode: 'Lwm2mDriver', profileId, pointId, deviceId };
    const card = await actions.proposeIn(target, '25');
    await update('driver_attribute_config', { id, configValue: 'eeff0011' });
    const { status, body } = await actions.decide('confirm', card.actionId);
    expect(status).toBe(412);
    expect(Refused.parse(body.data).changes).toEqual(['device setting pskKey changed']);
    const stored = await inTenant(world.app.db, session.tenantId, (q) =>
      q.selectFrom('svc_action').select('payload').where('actionId', '=', card.actionId).execute(),
    );
    expect(JSON.stringify([body, stored])).not.toMatch(/aabbccdd|eeff0011/);
  });

  it('is the answer once the proposer is disabled, also to the digest of the card', async () => {
    const target = await site();
    const serviceAccountName = fresh('proposer');
    const id = z
      .string()
      .parse(await session.data('/api/v3/auth/service_account/add', { serviceAccountName }));
    const account = await session.data('/api/v3/auth/service_account/get_by_id', undefined, { id });
    const { principalId } = z.object({ principalId: z.string() }).parse(account);
    const by = { ...agentIn(session), principalId };
    const card = await actions.proposeIn(target, '24', {}, by);
    const disabled = await session.post('/api/v3/auth/service_account/disable', undefined, { id });
    expect(disabled.status).toBe(200);
    const { status, body } = await actions.decide('confirm', card.actionId, {
      digest: card.digest,
    });
    expect({ status, message: body.message }).toEqual({
      status: 412,
      message: expect.stringContaining('proposer'),
    });
    expect(await actions.commandsOf(card.actionId)).toEqual([]);
  });
});

describe('a change between confirm and dispatch', () => {
  const confirmWhile = (actionId: string, change: () => Promise<unknown>) =>
    confirm(beforeDispatch(world.app, change), human(), { actionId, comment: 'yes', waitMs: 0 });

  it('keeps the command back, voids the confirmation and renews the card', async () => {
    const target = await site();
    const card = await actions.proposeIn(target, '25');
    const change = () => update('point', { id: target.pointId, multiple: 0.5 });
    await expect(confirmWhile(card.actionId, change)).rejects.toMatchObject({
      status: 412,
      detail: { changes: ['multiple changed from “1” to “0.5”'] },
    });
    const open = await actions.actionOf(card.actionId);
    expect(open).toMatchObject({
      status: 'PENDING',
      digestRequired: true,
      expiresAt: card.expiresAt,
      decidedBy: null,
      decidedTime: null,
      commandId: null,
      changes: ['multiple changed from “1” to “0.5”'],
    });
    const [command] = await actions.commandsOf(card.actionId);
    expect(
      await session.data('/api/v3/data/point_command_history/get_by_command_id', undefined, {
        commandId: command?.commandId ?? '',
      }),
    ).toMatchObject({ status: 'FAILED', errorCode: 'EFFECT_CHANGED', sendTime: null });
    const audited = await actions.auditOf(card.actionId);
    expect(audited.map(({ action }) => action)).toEqual([
      'action:propose',
      'action:confirm',
      'action:void',
    ]);
    expect(audited[2]?.detailExt).toMatchObject({ digest: card.digest, renewed: open.digest });
    expect((await actions.decide('confirm', card.actionId)).status).toBe(412);
    const { digest } = open;
    const sent = await actions.decide('confirm', card.actionId, { digest, wait_ms: 10_000 });
    expect(sent).toMatchObject({ status: 200, body: { data: { status: 'EXECUTED' } } });
  });

  it('leaves the old card waiting where the write is not allowed any more', async () => {
    const target = await site();
    const card = await actions.proposeIn(target, '25');
    const change = () => update('device', { id: target.deviceId, enableFlag: 'DISABLE' });
    await expect(confirmWhile(card.actionId, change)).rejects.toMatchObject({
      status: 412,
      message: expect.stringContaining('The device is disabled'),
    });
    expect(await actions.actionOf(card.actionId)).toMatchObject({
      status: 'PENDING',
      digest: card.digest,
      digestRequired: true,
    });
  });

  it('lets a change of what is not written pass', async () => {
    const target = await site();
    const card = await actions.proposeIn(target, '25');
    const change = () => update('point', { id: target.pointId, remark: 'looked at' });
    const decided = await confirmWhile(card.actionId, change);
    expect(decided.commandId).not.toBeNull();
  });

  it('ends EXPIRED past the expiry', async () => {
    const target = await site();
    const card = await actions.proposeIn(target, '25');
    world.clock.shift(LIFE_MS - 4_000);
    const change = async () => {
      await update('point', { id: target.pointId, multiple: 0.5 });
      world.clock.shift(5_000);
    };
    await expect(confirmWhile(card.actionId, change)).rejects.toMatchObject({ status: 412 });
    expect((await actions.actionOf(card.actionId)).status).toBe('EXPIRED');
  });

  it('keeps back a direct write as well', async () => {
    const target = await site();
    const commandId = crypto.randomUUID();
    const { tenantId } = session;
    await inTenant(world.app.db, tenantId, async (q) => {
      const checked = await checkWrite(q, world.app, tenantId, { ...target, value: '22' });
      const now = world.clock.now();
      await insertWrite(q, { ...checked, caller: human(), source: 'HTTP', commandId, now });
    });
    await configure(target, 'tag', 'pump');
    expect(await dispatch(world.app, { tenantId, commandId })).toContain('changed');
    const receipt = await session.data(
      '/api/v3/data/point_command_history/get_by_command_id',
      undefined,
      { commandId },
    );
    expect(receipt).toMatchObject({ status: 'FAILED', errorCode: 'EFFECT_CHANGED' });
  });
});

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { findAgent } from '../../src/cli/demo/agent.ts';
import { keepProposing, proposeIfWatched } from '../../src/cli/demo/proposal.ts';
import { makeDemo } from '../../src/cli/demo/story.ts';
import { examineAll } from '../../src/cli/operator/doctor.ts';
import { digests } from '../../src/data/digest/digests.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import { follow } from '../../src/kernel/feed/follow.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { prepared } from '../support/world/prepared.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
const REST = '/api/v3';
const Alarms = z.object({
  records: z.array(z.object({ message: z.string(), state: z.string(), confirmName: z.string() })),
});
const Pending = z.array(
  z.object({
    actionId: z.string(),
    deviceName: z.string(),
    pointName: z.string(),
    proposedValue: z.string(),
    currentValue: z.string(),
    proposerName: z.string(),
    reason: z.string(),
    conversationId: z.string(),
  }),
);
const Records = z.object({ records: z.array(z.looseObject({ id: z.string() })) });

describe('the demo of the first start', () => {
  let world: World;
  let made = 0;

  const start = async (): Promise<void> => {
    // The schedule of the product: a gap is what is long for it.
    const environment = { SVC_DEMO: 'on', SVC_DRIVER_READ_CRON: '0/30 * * * * ?' };
    world = await startWorld({ environment, database: data });
    await makeDemo(world.app);
  };
  const data = prepared(() => freshDatabase());
  beforeAll(async () => {
    await start();
    made = world.clock.now();
  });
  afterAll(() => world?.stop());

  const records = async (path: string, given: object = {}) =>
    Records.parse(await world.admin.data(`${REST}${path}`, given)).records;
  const pending = async () =>
    Pending.parse(await world.admin.data(`${REST}/agentic/action/pending`, undefined, {}));
  const weekOf = async (deviceName: string, pointName: string) => {
    const [device] = await records('/manager/device/list', { deviceName });
    const [point] = await records('/manager/point/list', {
      pointName,
      profileId: device?.['profileId'],
    });
    const pair = { deviceId: device?.id ?? '', pointId: point?.id ?? '' };
    const caller = { tenantId: world.admin.tenantId, principalId: '0', name: '' } as const;
    const [found] = await digests(
      world.app,
      { ...caller, principalType: 'SYSTEM', via: 'system', permissions: new Set() },
      { pairs: [pair], from: world.clock.now() - WEEK_MS },
    );
    if (!found) throw new Error('no digest');
    return found;
  };

  it('has a plant whose devices are in a group and say that they are made up', async () => {
    const [label] = await records('/manager/label/list', { labelName: 'demo' });
    const devices = await records('/manager/device/list', { labelId: label?.id });
    expect(devices.map((device) => String(device['deviceName'])).toSorted()).toEqual([
      'Boiler 1',
      'Boiler 2',
      'Buffer tank',
      'Feed pump 1',
      'Feed pump 2',
    ]);
    const [group] = await records('/manager/group/list', { groupName: 'Boiler house' });
    expect(await records('/manager/device/list', { groupId: group?.id })).toHaveLength(5);
    const [bench] = await records('/manager/device/list', { deviceName: 'dev-1' });
    expect(bench).toBeDefined();
  });

  it('has a week in which the digest finds the spike, the drift and the gap', async () => {
    const pressure = await weekOf('Boiler 1', 'pressure');
    expect(pressure.numbers?.spikes).toMatchObject([{ peak: 3.4 }]);
    const vibration = await weekOf('Feed pump 2', 'vibration');
    const drift = vibration.numbers?.changes.find(({ kind }) => kind === 'drift');
    expect(drift).toMatchObject({ perHour: expect.closeTo(5 / 120, 2) });
    const level = await weekOf('Buffer tank', 'level');
    const [gap] = level.gaps.longest;
    expect(gap?.s).toBeGreaterThan(3.4 * 3600);
    expect(gap?.s).toBeLessThan(3.7 * 3600);
    expect(pressure.count).toBeGreaterThan(2_100);
  });

  it('has an alarm in each state, raised by its rules', async () => {
    const { records: alarms } = Alarms.parse(
      await world.admin.data(`${REST}/data/dashboard/alert/page`, { source: 'point', size: 50 }),
    );
    const states = alarms.map(
      ({ message, state, confirmName }) =>
        `${/(Boiler|Pump|Buffer)[\w ]+/.exec(message)?.[0]}: ${state}, ${confirmName}`,
    );
    expect(states.toSorted()).toEqual([
      'Boiler pressure high: RECOVERED, UNCONFIRMED',
      'Boiler pressure low: FIRING, CONFIRMED',
      'Buffer tank silent: CLOSED, CONFIRMED',
      'Pump vibration high: FIRING, UNCONFIRMED',
    ]);
  });

  it('has a proposal of its agent that waits, with a reason and a conversation', async () => {
    expect(await pending()).toMatchObject([
      {
        deviceName: 'Boiler 1',
        pointName: 'set-point',
        currentValue: '72',
        proposedValue: '66',
        proposerName: 'demo-agent',
        reason: expect.stringContaining('buffer tank'),
        conversationId: 'demo-watch',
      },
    ]);
  });

  it('has a conversation of the administrator', async () => {
    const messages = await world.admin.data(`${REST}/agentic/message/list`, undefined, {
      conversation_id: 'demo-week',
    });
    expect(z.array(z.unknown()).parse(messages)).toHaveLength(2);
  });

  it('contradicts nothing', async () => {
    const at = new Date(world.clock.now());
    const examined = await acrossTenants(world.app.db, 'doctor', (q) => examineAll(q, at));
    expect(examined.filter(({ total }) => total > 0)).toEqual([]);
  });

  it('proposes anew only when the proposal has ended and somebody follows, one at a time', async () => {
    const { tenantId } = world.admin;
    const [first] = await pending();
    await world.admin.data(`${REST}/agentic/action/reject`, {
      actionId: first?.actionId,
      comment: 'not now',
    });
    await proposeIfWatched(world.app, tenantId);
    expect(await pending()).toEqual([]);
    const listener = { tenantId, principalId: '1' };
    const following = follow(world.app, listener, { tell: () => {}, end: () => {} });
    await proposeIfWatched(world.app, tenantId);
    await proposeIfWatched(world.app, tenantId);
    expect(await pending()).toHaveLength(1);
    following.stop();
    await keepProposing(world.app, tenantId).stop();
  });

  it('makes nothing at the next start', async () => {
    const totals = () =>
      acrossTenants(world.app.db, 'doctor', async (q) => {
        const { rows } = await sql`select (select count(*) from svc_device) as devices,
          (select count(*) from svc_rule) as rules, (select count(*) from svc_entity_alarm) as alarms,
          (select count(*) from svc_action) as actions, (select count(*) from svc_message) as messages,
          (select count(*) from svc_principal) as principals,
          (select count(*) from svc_point_value where create_time < ${new Date(made)}) as values`.execute(
          q,
        );
        return rows[0];
      });
    const before = await totals();
    await world.halt();
    await start();
    expect(await totals()).toEqual(before);
    expect(await findAgent(world.app, world.admin.tenantId)).not.toBeNull();
  });
});

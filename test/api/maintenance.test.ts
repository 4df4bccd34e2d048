import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { addTo, DATA, SUCCESS, watch } from '../support/devices/notify.ts';
import { add } from '../support/devices/plant.ts';
import { startWebhookReceiver } from '../support/neighbours/webhook-receiver.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { started } from '../support/world/prepared.ts';

const HOUR = 3_600_000;

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
beforeEach(() => {
  hook.received.length = 0;
});

const at = (ms: number): string => new Date(world.clock.now() + ms).toISOString();
const channels = () => [{ target: hook.url }];
const plan = (session: Session, given: object): Promise<string> =>
  addTo(session, 'maintenance', { maintenanceName: fresh('belt change'), ...given });
const sent = (): string[] => hook.received.map(({ body }) => JSON.parse(body).type);
const arrived = (count: number) =>
  eventually(
    async () => sent(),
    (all) => all.length >= count,
  );
const reportOf = async (session: Session, alarmId: string) =>
  z
    .looseObject({
      maintenance: z.unknown(),
      timeline: z.array(z.looseObject({ what: z.string() })),
    })
    .parse(await session.data(`${DATA}/dashboard/alert/report`, undefined, { alarm_id: alarmId }));

describe('an alarm in maintenance', () => {
  it('is raised and shown with it, and sent at its end when it is still true', async () => {
    const mine = await world.tenant('maintenance-mute');
    const room = await watch(world, { channels: channels() }, mine);
    const entityIds = [room.plant.deviceId];
    const id = await plan(mine, {
      maintenanceName: 'new fan',
      scopeFlag: 'DEVICE',
      entityIds,
      endTime: at(HOUR),
      reason: 'the old one is loud',
    });
    await room.measure(95);
    const alarmId = (await room.state())?.alarmId ?? '';
    const shown = { id, name: 'new fan', mode: 'MUTE', owner: 'maintenance-mute-admin' };
    const report = await reportOf(mine, alarmId);
    expect(report.maintenance).toMatchObject({ ...shown, reason: 'the old one is loud' });
    expect(report.timeline.some(({ what }) => /maintenance until/.test(what))).toBe(true);
    const handover = await mine.data('/api/v3/agentic/handover/get');
    expect(handover).toMatchObject({
      maintenance: [{ id, name: 'new fan', of: [expect.any(String)] }],
    });
    await mine.data(`${DATA}/maintenance/update`, { id, endTime: at(2 * HOUR) });
    world.clock.shift(HOUR + 60_000);
    await sweepLedger(world.app);
    expect(await room.history()).toEqual([]);
    world.clock.shift(HOUR);
    await sweepLedger(world.app);
    await arrived(1);
    expect(sent()).toEqual(['alarm.fired']);
    expect((await reportOf(mine, alarmId)).maintenance).toMatchObject(shown);
  });

  it('that is over before its end is never sent; its early end sends what goes on', async () => {
    const mine = await world.tenant('maintenance-early');
    const [over, open] = [
      await watch(world, { channels: channels() }, mine),
      await watch(world, { channels: channels() }, mine),
    ];
    const id = await plan(mine, { scopeFlag: 'PLANT', endTime: at(HOUR) });
    await over.measure(95);
    await open.measure(95);
    await over.measure(20);
    await mine.data(`${DATA}/maintenance/end`, { id });
    await sweepLedger(world.app);
    await arrived(1);
    expect(await over.history()).toEqual([]);
    expect(await open.history()).toHaveLength(1);
    expect((await mine.post(`${DATA}/maintenance/end`, { id })).status).toBe(409);
  });

  it.each(['GROUP', 'LABEL', 'DRIVER'])(
    'is of what the scope %s has, and of nothing else',
    async (scope) => {
      const mine = await world.tenant(`maintenance-${scope.toLowerCase()}`);
      const [inside, outside] = [
        await watch(world, { channels: channels() }, mine),
        await watch(world, { channels: channels() }, mine),
      ];
      const { deviceId: entityId, driverId } = inside.plant;
      const noun = scope.toLowerCase();
      const name = { [`${noun}Name`]: fresh(noun) };
      const kind = scope === 'GROUP' ? { groupTypeFlag: 'DEVICE' } : { entityTypeFlag: 'DEVICE' };
      const of = scope === 'DRIVER' ? driverId : await add(mine, noun, { ...name, ...kind });
      if (scope !== 'DRIVER')
        await add(mine, `${noun}_bind`, { [`${noun}Id`]: of, entityTypeFlag: 'DEVICE', entityId });
      await plan(mine, { scopeFlag: scope, entityIds: [of], endTime: at(HOUR) });
      await inside.measure(95);
      await outside.measure(95);
      expect(await inside.history()).toEqual([]);
      expect(await outside.history()).toHaveLength(
        outside.plant.driverId === driverId && scope === 'DRIVER' ? 0 : 1,
      );
    },
  );

  it('that only marks is sent, and its message says so', async () => {
    const mine = await world.tenant('maintenance-mark');
    const room = await watch(world, { channels: channels() }, mine);
    const planned = { scopeFlag: 'PLANT', modeFlag: 'MARK', maintenanceName: 'new fan' };
    await plan(mine, { ...planned, beginTime: at(HOUR), endTime: at(2 * HOUR) });
    await room.measure(95);
    await room.until(SUCCESS);
    world.clock.shift(HOUR + 1_000);
    await room.measure(20);
    const [fired, recovered] = await room.history();
    expect(fired?.requestExt.text).not.toContain('maintenance');
    expect(recovered?.requestExt.text).toContain('In maintenance: "new fan"');
  });
});

describe('a maintenance', () => {
  it('is refused where it makes no sense, and is of its own tenant', async () => {
    const mine = await world.tenant('maintenance-wrong');
    const other = await world.tenant('maintenance-other');
    const foreign = await watch(world, {}, other);
    const refused = async (given: object): Promise<number> => {
      const body = { maintenanceName: fresh('x'), scopeFlag: 'PLANT', endTime: at(HOUR), ...given };
      return (await mine.post(`${DATA}/maintenance/add`, body)).status;
    };
    expect(await refused({ endTime: at(-1) })).toBe(400);
    expect(await refused({ endTime: at(91 * 24 * HOUR) })).toBe(400);
    expect(await refused({ beginTime: at(2 * HOUR) })).toBe(400);
    expect(await refused({ entityIds: [foreign.plant.deviceId] })).toBe(400);
    expect(await refused({ scopeFlag: 'DEVICE' })).toBe(400);
    expect(await refused({ scopeFlag: 'DEVICE', entityIds: [foreign.plant.deviceId] })).toBe(404);
    expect(await refused({ until: at(HOUR) })).toBe(400);
  });

  it('that is planned can be deleted; one that has begun ends, and stays', async () => {
    const mine = await world.tenant('maintenance-kept');
    const [planned, running] = [
      await plan(mine, { scopeFlag: 'PLANT', beginTime: at(HOUR), endTime: at(2 * HOUR) }),
      await plan(mine, { scopeFlag: 'PLANT', endTime: at(HOUR) }),
    ];
    const list = async (when: string): Promise<unknown[]> =>
      z
        .object({ records: z.array(z.object({ id: z.string() }).transform(({ id }) => id)) })
        .parse(await mine.data(`${DATA}/maintenance/list`, { when })).records;
    expect([await list('PLANNED'), await list('RUNNING')]).toEqual([[planned], [running]]);
    expect((await mine.post(`${DATA}/maintenance/end`, { id: planned })).status).toBe(409);
    expect((await mine.post(`${DATA}/maintenance/delete`, { id: running })).status).toBe(409);
    await mine.data(`${DATA}/maintenance/delete`, { id: planned });
    await mine.data(`${DATA}/maintenance/end`, { id: running });
    expect([await list('PLANNED'), await list('RUNNING')]).toEqual([[], []]);
    expect(await list('PAST')).toEqual([running]);
  });

  it('is one of 200 at most that run or are planned, also where several are added at once', async () => {
    const mine = await world.tenant('maintenance-many');
    const end = new Date(world.clock.now() + HOUR);
    await inTenant(world.app.db, mine.tenantId, (q) =>
      sql`insert into svc_maintenance (tenant_id, maintenance_name, scope_flag, begin_time, end_time)
        select ${mine.tenantId}, 'fan ' || n, 0, ${new Date(world.clock.now())}, ${end}
        from generate_series(1, 197) n`.execute(q),
    );
    const adding = Array.from({ length: 8 }, () =>
      mine.post(`${DATA}/maintenance/add`, {
        maintenanceName: fresh('fan'),
        scopeFlag: 'PLANT',
        endTime: end.toISOString(),
      }),
    );
    const statuses = (await Promise.all(adding)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(statuses.filter((status) => status === 422)).toHaveLength(5);
  });
});

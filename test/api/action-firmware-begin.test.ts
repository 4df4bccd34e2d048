import { beforeAll, describe, expect, it } from 'vitest';

import { inTenant } from '../../src/db/tenant.ts';
import { answerRequest } from '../../src/manager/firmware/driver-word.ts';
import { handOut } from '../../src/manager/firmware/task.ts';
import { moveRollouts } from '../../src/manager/firmware/wave.ts';
import { configureDevice, firmwareIn } from '../support/lwm2m/firmware-actions.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { started } from '../support/world/prepared.ts';
import { HeldClock } from '../support/world/shifted-clock.ts';

const DRIVER = { driverCode: 'Lwm2mDriver', node: 'n1' };
const STEP_MS = 61_000;

/** In a world in which nothing runs by itself. */
describe('a device that has begun', () => {
  const clock = new HeldClock();
  let fw: ReturnType<typeof firmwareIn>;
  const answers: (boolean | null)[] = [];
  const world = started(() => startWorld({ clock }));
  beforeAll(async () => {
    clock.hold();
    fw = firmwareIn(world);
    const queue = 'test.firmware.begin';
    await world.app.bus.subscribe(
      'svc.e.firmware_portion',
      { queue, key: '#' },
      async ({ mayBegin }) => void answers.push(mayBegin),
    );
  });

  const turn = (mode: string) => world.admin.data('/api/v3/auth/mcp/switch/set', { mode });

  async function begun() {
    const { admin, app } = world;
    const device = await fw.device();
    const { id: packageId } = await fw.package();
    const asked = { packageId, deviceIds: [device.deviceId], minutes: 10 };
    const action = await fw.proposed(asked);
    await fw.confirm(action.actionId, action.digest);
    await moveRollouts(app);
    const row = () =>
      inTenant(app.db, admin.tenantId, (q) =>
        q
          .selectFrom('svc_firmware_update')
          .select(['updateId', 'status', 'message', 'code', 'wave'])
          .where('tenantId', '=', admin.tenantId)
          .where('deviceId', '=', device.deviceId)
          .executeTakeFirstOrThrow(),
      );
    const { updateId } = await row();
    const ask = async () => {
      const { length } = answers;
      const { tenantId } = admin;
      await answerRequest(app, { ...DRIVER, updateId, tenantId, asks: 'begin', offset: 0 });
      await eventually(
        async () => answers.length,
        (now) => now > length,
      );
      return answers.at(-1);
    };
    return { device, ask, row, look: () => fw.look(action.actionId) };
  }

  it('gets its first order with a yes alone: not once it is another, nor while a switch holds it', async () => {
    const { device, ask, row } = await begun();
    await turn('READ_ONLY');
    expect(await ask()).toBe(false);
    await turn('ON');
    await configureDevice(device, 'endpoint', fresh('urn:moved'), world.admin);
    expect(await ask()).toBe(false);
    clock.shift(STEP_MS);
    await handOut(world.app);
    expect(await row()).toMatchObject({ status: 'CANCELLED', code: 'DEVICE_CHANGED' });
    expect(await ask()).toBe(false);
  });

  it('is not called off in the minute in which its first order may be on the way', async () => {
    const { device, ask, row } = await begun();
    expect(await ask()).toBe(true);
    await configureDevice(device, 'endpoint', fresh('urn:moved'), world.admin);
    clock.shift(STEP_MS / 2);
    await handOut(world.app);
    expect(await row()).toMatchObject({ status: 'BEGUN' });
    clock.shift(STEP_MS);
    await handOut(world.app);
    expect(await row()).toMatchObject({ status: 'CANCELLED' });
  });

  it('waits for its turn again while a switch holds it, and has all its time then', async () => {
    const { ask, row, look } = await begun();
    await turn('READ_ONLY');
    clock.shift(STEP_MS);
    await handOut(world.app);
    await moveRollouts(world.app);
    expect(await row()).toMatchObject({ status: 'WAITING', wave: 0 });
    expect((await look()).say).toContain('It is held: ');
    // Longer than a device has.
    clock.shift(STEP_MS * 20);
    await handOut(world.app);
    await moveRollouts(world.app);
    expect(await row()).toMatchObject({ status: 'WAITING', message: '' });
    await turn('ON');
    await moveRollouts(world.app);
    expect(await row()).toMatchObject({ status: 'BEGUN' });
    expect(await ask()).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inTenant } from '../../src/db/tenant.ts';
import { firmwareIn } from '../support/lwm2m/firmware-actions.ts';
import { firmwareDevice, packageOf } from '../support/lwm2m/rollout.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from './agent.ts';

const Answer = z.looseObject({ actionId: z.string(), status: z.string(), say: z.string() });

describe('proposeFirmware', () => {
  const world = startedWorld();
  const fw = prepared(() => firmwareIn(world));

  const run = (name: string, input: object) =>
    toolNamed(name).run(world.app, agentIn(world.admin), input);
  const propose = async (input: object) => Answer.parse(await run('proposeFirmware', input));

  it('proposes a roll-out by names, and sends nothing before a person confirms it', async () => {
    const { deviceId, flash, stop } = await firmwareDevice(world);
    const { packageName } = await packageOf(world, '2.0.0');
    const registered = () =>
      inTenant(world.app.db, world.admin.tenantId, (q) =>
        q
          .selectFrom('svc_device as d')
          .innerJoin('svc_device_registration as r', 'r.deviceId', 'd.id')
          .select('d.deviceName')
          .where('d.tenantId', '=', world.admin.tenantId)
          .where('d.id', '=', deviceId)
          .execute(),
      );
    const [device] = await eventually(registered, (rows) => rows.length > 0);
    const answer = await propose({
      packageId: `${packageName.toUpperCase()} 2.0.0`,
      deviceIds: [device?.deviceName],
      reason: 'A leak is closed',
    });
    const { actionId } = answer;
    expect(answer).toMatchObject({
      status: 'PENDING',
      pendingConfirmation: true,
      deviceCount: 1,
      say: expect.stringContaining(`“${packageName} 2.0.0”`),
      reviewUrl: expect.stringContaining(actionId),
    });
    expect(answer.say).toContain('Not executed');
    expect(flash).toMatchObject({ version: '1.0.0', sha256: '' });
    const { digest } = await fw.look(actionId);
    expect((await fw.confirm(actionId, digest)).status).toBe(200);
    const done = await eventually(
      async () => run('lookupActionById', { actionId }),
      ({ status }) => status !== 'CONFIRMED',
      60_000,
    );
    expect(done).toMatchObject({ status: 'EXECUTED', done: true, devices: { verified: 1 } });
    expect(flash.version).toBe('2.0.0');
    const again = run('proposeFirmware', {
      packageId: '2.0.0',
      deviceIds: [device?.deviceName],
    });
    await expect(again).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('it runs “2.0.0” already'),
    });
    await stop();
  });

  it('takes a version alone that one package has, and names those that are meant by several', async () => {
    const { deviceId } = await fw.device();
    const [one, two] = [await packageOf(world, '7.0.0'), await packageOf(world, '8.0.0')];
    const input = { deviceIds: [deviceId] };
    expect(await propose({ ...input, packageId: '7.0.0' })).toMatchObject({
      say: expect.stringContaining(one.packageName),
    });
    const other = await packageOf(world, '8.0.0');
    await expect(run('proposeFirmware', { ...input, packageId: '8.0.0' })).rejects.toMatchObject({
      status: 422,
      message: expect.stringMatching(
        new RegExp(`2 packages: “${other.packageName} 8.0.0”, “${two.packageName} 8.0.0”`),
      ),
    });
  });

  it('offers nothing that it does not take', async () => {
    const { id } = await packageOf(world, '5.0.0');
    const refused = run('proposeFirmware', { packageId: id });
    await expect(refused).rejects.toMatchObject({ message: 'Give either deviceIds or groupId' });
  });

  it('names the packages there are for one that is not', async () => {
    const { packageName } = await packageOf(world, '3.0.0');
    const nothing = propose({ packageId: fresh('Pump'), deviceIds: ['1'] });
    await expect(nothing).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining(`“${packageName} 3.0.0”`),
    });
  });

  it('is a proposal of the caller’s own tenant alone', async () => {
    const { id } = await packageOf(world, '4.0.0');
    const other = agentIn(await world.tenant(fresh('other')));
    const input = { packageId: id, deviceIds: ['1'] };
    await expect(toolNamed('proposeFirmware').run(world.app, other, input)).rejects.toMatchObject({
      status: 404,
    });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inTenant } from '../../src/db/tenant.ts';
import { resources } from '../../tools/resource/index.ts';
import { firmwareDevice, move, packageOf, read } from '../support/lwm2m/rollout.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { agentIn, expectAsReviewed, toolNamed } from './agent.ts';

const Answer = z.looseObject({ rolloutId: z.string(), status: z.string(), say: z.string() });

describe('proposeFirmware', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.stop());

  const propose = async (input: object) =>
    Answer.parse(await toolNamed('proposeFirmware').run(world.app, agentIn(world.admin), input));
  const look = (rolloutId: string) =>
    resources
      .find(({ name }) => name === 'firmware-rollout')
      ?.read(world.app, agentIn(world.admin), { rolloutId });

  it('looks as reviewed', () => expectAsReviewed('proposeFirmware'));

  it('proposes a roll-out by names, and sends nothing before a person confirms it', async () => {
    const { deviceId, flash, stop } = await firmwareDevice(world);
    const { packageName } = await packageOf(world, '2.0.0');
    const [device] = await inTenant(world.app.db, world.admin.tenantId, (q) =>
      q
        .selectFrom('svc_device')
        .select('deviceName')
        .where('tenantId', '=', world.admin.tenantId)
        .where('id', '=', deviceId)
        .execute(),
    );
    const answer = await propose({
      packageId: `${packageName.toUpperCase()} 2.0.0`,
      deviceIds: [device?.deviceName],
      reason: 'A leak is closed',
    });
    const { rolloutId } = answer;
    expect(answer).toMatchObject({ status: 'PROPOSED', packageName, devices: 1 });
    expect(answer.say).toContain('Nothing was sent');
    expect(await look(rolloutId)).toMatchObject({
      status: 'PROPOSED',
      why: 'A leak is closed',
      devices: { PROPOSED: 1 },
    });
    expect(flash).toMatchObject({ version: '1.0.0', sha256: '' });
    expect((await move(world, 'reject', rolloutId)).status).toBe(200);
    expect((await read(world, rolloutId)).status).toBe('REJECTED');
    expect(await look(rolloutId)).toMatchObject({ status: 'REJECTED', devices: { CANCELLED: 1 } });
    await stop();
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

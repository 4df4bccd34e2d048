import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { lwm2mDevice } from '../support/lwm2m/device.ts';
import { reportWaiting } from '../support/lwm2m/waiting.ts';
import type { Session } from '../support/people/session.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from './agent.ts';

const Answer = z.looseObject({ total: z.number(), records: z.array(z.looseObject({})) });

const world = startedWorld();

const search = async (session: Session, input: object = {}, timezone = 'UTC') =>
  Answer.parse(
    await toolNamed('searchWaitingDevices').run(
      world.app,
      { ...agentIn(session), timezone },
      input,
    ),
  );

describe('searchWaitingDevices', () => {
  it('lists what proved the key of a device of the tenant, and where a person takes it in', async () => {
    const mine = await world.tenant('waits');
    const { deviceId } = await lwm2mDevice(mine, {});
    const endpoint = fresh('urn:renamed');
    await reportWaiting(world, {
      endpoint,
      key: { tenantId: mine.tenantId, deviceId },
      attempts: 3,
    });
    const found = await search(mine, { endpoint: 'renamed' }, 'Asia/Kathmandu');
    expect(found).toMatchObject({
      total: 1,
      records: [{ endpoint, driverCode: 'Lwm2mDriver', deviceId, attempts: 3 }],
      onboardAt: `${world.app.config.baseUrl}/console/devices/waiting`,
    });
    expect(found.records[0]?.['last']).toMatch(/\+05:45$/);
    // Where it came from is for people alone.
    expect(JSON.stringify(found)).not.toContain('192.0.2.7');
    expect(await search(mine, { endpoint: 'nothing' })).toMatchObject({ total: 0, records: [] });
  });

  it('has nothing of another tenant, also for an administrator of the platform', async () => {
    const theirs = await world.tenant('waits-there');
    const { deviceId } = await lwm2mDevice(theirs, {});
    const key = { tenantId: theirs.tenantId, deviceId };
    await reportWaiting(world, { endpoint: fresh('urn:theirs'), key });
    await reportWaiting(world, { endpoint: fresh('urn:of-none') });
    expect(await search(await world.tenant('waits-not'))).toMatchObject({ total: 0 });
    expect(await search(world.admin)).toMatchObject({ total: 0 });
  });
});

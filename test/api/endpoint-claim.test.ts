import { afterAll, describe, expect, it, vi } from 'vitest';

import { startDevice } from '../../driver/simulator/device.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { ClaimFight, leavings, type Way, ways } from '../support/runs/claim-fight.ts';
import { freshDatabase } from '../support/world/database.ts';
import { prepared } from '../support/world/prepared.ts';

/** An endpoint name is one device's, over all tenants, two nodes and every way to configure it. */
describe('an endpoint name', () => {
  let count = 0;
  const fresh = (): string => `urn:claim:${(count += 1)}`;

  const data = prepared(() => freshDatabase());
  const fight = prepared(() => ClaimFight.open(data.environment));
  afterAll(async () => {
    await fight?.close();
    await data?.remove();
  });

  const pairs = ways.flatMap((one) => ways.map((two): [Way, Way] => [one, two]));

  it.each(pairs)('goes to one of two tenants that want it by %s and %s', async (one, two) => {
    for (let n = 0; n < 3; n += 1) {
      const name = fresh();
      const tries = await fight.round(name, [one, two]);
      expect(tries.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
      const winner = tries.findIndex(({ status }) => status === 200);
      const owners = await fight.owners(name);
      expect(owners).toMatchObject([{ tenantId: fight.session(winner).tenantId }]);
      expect(await fight.configuredWith(name)).toEqual(owners.map(({ deviceId }) => deviceId));
      const lost = tries[1 - winner];
      expect(lost?.message).toMatch(
        /^(Row \d: )?The endpoint is already taken: it can belong to one device only$/,
      );
      // A table is taken as a whole or not at all.
      const lostWay = [one, two][1 - winner];
      expect(await fight.deviceExists(1 - winner, lost?.deviceName ?? '')).toBe(
        lostWay !== 'import',
      );
    }
  });

  it.each(leavings)('is free once its owner gives it up: %s', async (how) => {
    const name = fresh();
    expect(await fight.attempt(0, 'add', name)).toMatchObject({ status: 200 });
    expect(await fight.attempt(1, 'add', name)).toMatchObject({ status: 409 });
    const [owner] = await fight.owners(name);
    if (!owner) throw new Error('no owner');
    await fight.leave(0, owner, how);
    expect(await fight.owners(name)).toEqual([]);
    expect(await fight.attempt(1, 'import', name)).toMatchObject({ status: 200 });
    expect(await fight.owners(name)).toMatchObject([{ tenantId: fight.session(1).tenantId }]);
  });

  it('is refused in the same words to the tenant that has it', async () => {
    const name = fresh();
    await fight.attempt(0, 'add', name);
    const own = await fight.attempt(0, 'add', name);
    const foreign = await fight.attempt(1, 'add', name);
    expect({ ...own, deviceName: '' }).toEqual({ ...foreign, deviceName: '' });
    expect(own.status).toBe(409);
  });

  it('that two devices were configured with before there were claims goes to the older config', async () => {
    const [name, older, newer] = [fresh(), fresh(), fresh()];
    await fight.attempt(1, 'add', older);
    await fight.attempt(0, 'add', newer);
    await fight.configureWithoutClaim([older, newer], name);
    await fight.restart();
    await vi.waitFor(
      async () =>
        expect(await fight.owners(name)).toMatchObject([{ tenantId: fight.session(1).tenantId }]),
      20_000,
    );
  });

  it('of a device with securityMode=PSK and no key: REST says in words why the device is not served', async () => {
    const name = fresh();
    await fight.attempt(0, 'add', name);
    const [owner] = await fight.owners(name);
    await fight.configure(0, owner?.deviceId ?? '', 'securityMode', 'PSK');
    await vi.waitFor(
      async () =>
        expect(await fight.statusOf(0, owner?.deviceId ?? '')).toEqual({
          status: 'unknown',
          statusReason: 'it never connected',
          neverConnected: true,
          offlineSince: null,
          lastHeard: expect.any(String),
          description: 'not registered: pskKey is missing',
        }),
      20_000,
    );
    await expect(fight.statusOf(1, owner?.deviceId ?? '')).rejects.toThrow('404');
  });

  it('must be no longer than 255 characters', async () => {
    for (const way of ways)
      expect(await fight.attempt(0, way, 'x'.repeat(256))).toMatchObject({
        status: 422,
        message: expect.stringContaining('The endpoint must have at most 255 characters'),
      });
  });

  it('keeps its owner, and the device its tenant, over restarts', async () => {
    const name = fresh();
    const tries = await fight.round(name, ['add', 'add']);
    const winner = tries.findIndex(({ status }) => status === 200);
    const owners = await fight.owners(name);
    for (let n = 0; n < 2; n += 1) {
      await fight.restart();
      expect(await fight.owners(name)).toEqual(owners);
      expect(await fight.attempt(1 - winner, 'add', name)).toMatchObject({ status: 409 });
      const server = { host: '127.0.0.1', port: fight.lwm2mPort };
      const options = { endpoint: name, server, lifetimeS: 60, log: createLog('silent') };
      const device = await startDevice(options);
      try {
        await vi.waitFor(
          async () => expect(await fight.isOnline(winner, owners[0]?.deviceId ?? '')).toBe(true),
          20_000,
        );
      } finally {
        await device.stop();
      }
    }
  });
});

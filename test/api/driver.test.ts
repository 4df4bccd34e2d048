import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { Payload } from '../../src/bus/topic/topics.ts';
import { add, onboard, virtualDriver } from '../support/devices/plant.ts';
import type { Session } from '../support/people/session.ts';
import { Records } from '../support/people/shapes.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const MANAGER = '/api/v3/manager';

const attribute = (code: string, defaultValue = '', secret = false) => ({
  code,
  name: code,
  type: 'STRING' as const,
  defaultValue,
  description: '',
  secret,
});

describe('a driver', () => {
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const theirs = prepared(() => world.tenant('other'));
  const plant = prepared(() => onboard(mine));

  const registration = (
    driverCode: string,
    given: Partial<Payload<'svc.e.driver_register'>> = {},
  ): Payload<'svc.e.driver_register'> => ({
    driverCode,
    driverName: driverCode,
    driverType: 'DRIVER_CLIENT',
    serviceName: 'svc-driver-test',
    serviceHost: '',
    node: 'node-1',
    driverAttributes: [attribute('host', 'localhost'), attribute('password', '', true)],
    pointAttributes: [attribute('address')],
    ...given,
  });

  async function register(declared: Payload<'svc.e.driver_register'>): Promise<void> {
    const answered = Promise.withResolvers<void>();
    const { driverCode } = declared;
    const listening = await world.app.bus.subscribe(
      'svc.e.metadata',
      { queue: `test-${driverCode}`, key: driverCode },
      async ({ kind }) => {
        if (kind === 'registered') answered.resolve();
      },
    );
    await world.app.bus.publish('svc.e.driver_register', declared, { key: driverCode });
    await answered.promise;
    await listening.cancel();
  }

  const find = async (session: Session, driverCode: string) =>
    Records.parse(await session.data(`${MANAGER}/driver/list`, { driverCode })).records[0];
  const codes = async (session: Session, driverId: string, kind: 'driver' | 'point') =>
    z
      .array(z.looseObject({ attributeCode: z.string() }))
      .parse(
        await session.data(`${MANAGER}/${kind}_attribute/list_by_driver_id`, undefined, {
          driver_id: driverId,
        }),
      )
      .map(({ attributeCode }) => attributeCode);

  describe('that registers', () => {
    it('is there for every tenant, with the attributes it declares', async () => {
      await register(registration('EveryDriver'));
      for (const session of [mine, theirs]) {
        const driver = await find(session, 'EveryDriver');
        expect(driver).toMatchObject({ driverTypeFlag: 'DRIVER_CLIENT', driverExt: {} });
        expect(await codes(session, driver?.id ?? '', 'driver')).toEqual(['host', 'password']);
        expect(await codes(session, driver?.id ?? '', 'point')).toEqual(['address']);
      }
    });

    it('is there for a tenant that was created later', async () => {
      await register(registration('EarlyDriver'));
      const late = await world.tenant('late');
      const driver = await find(late, 'EarlyDriver');
      expect(await codes(late, driver?.id ?? '', 'driver')).toEqual(['host', 'password']);
    });

    it('changes and drops attributes when it registers again, and keeps its id', async () => {
      await register(registration('NewerDriver'));
      const before = await find(mine, 'NewerDriver');
      const driverAttributes = [attribute('host', 'example.org'), attribute('port')];
      await register(registration('NewerDriver', { driverAttributes }));
      const after = await find(mine, 'NewerDriver');
      expect(after?.id).toBe(before?.id);
      const rows = await mine.data(`${MANAGER}/driver_attribute/list_by_driver_id`, undefined, {
        driver_id: String(after?.id),
      });
      expect(rows).toMatchObject([
        { attributeCode: 'host', defaultValue: 'example.org', version: 2 },
        { attributeCode: 'port', version: 1 },
      ]);
    });

    it('keeps the name a tenant gave it, and gets another where its name is taken', async () => {
      await register(registration('RenamedDriver'));
      const driver = await find(mine, 'RenamedDriver');
      await mine.data(`${MANAGER}/driver/update`, {
        id: driver?.id,
        driverName: 'our driver',
        driverExt: { registration: null, note: 'kept' },
      });
      await add(theirs, 'driver', { driverName: 'TakenDriver', serviceName: 'svc-driver-x' });
      await register(registration('RenamedDriver'));
      await register(registration('LatecomerDriver', { driverName: 'TakenDriver' }));
      expect(await find(mine, 'RenamedDriver')).toMatchObject({
        driverName: 'our driver',
        driverExt: { note: 'kept' },
      });
      expect(await find(theirs, 'LatecomerDriver')).toMatchObject({
        driverName: 'TakenDriver (LatecomerDriver)',
      });
    });

    it('is online while its lease lives', async () => {
      const driverId = await virtualDriver(mine);
      const status = async () =>
        z
          .record(z.string(), z.string())
          .parse(
            await mine.data('/api/v3/data/driver/status/list', { driverCode: 'VirtualDriver' }),
          )[driverId];
      expect(await eventually(status, (answer) => answer !== 'unknown')).toBe('online');
      const online = await mine.data(
        '/api/v3/data/driver/status/get_device_online_by_driver_id',
        undefined,
        { driver_id: driverId },
      );
      expect(online).toBeGreaterThan(0);
    });
  });

  it('200: is found by its service name', async () => {
    const found = await mine.data(`${MANAGER}/driver/get_by_service_name`, undefined, {
      service_name: 'svc-driver-virtual',
    });
    expect(found).toMatchObject({ driverCode: 'VirtualDriver' });
  });

  it('200: keeps its code for ever', async () => {
    const id = await add(mine, 'driver', {
      driverName: fresh('own'),
      driverCode: fresh('OwnDriver'),
      serviceName: 'svc-driver-own',
    });
    const before = z
      .object({ driverCode: z.string() })
      .parse(await mine.data(`${MANAGER}/driver/get_by_id`, undefined, { id }));
    await mine.data(`${MANAGER}/driver/update`, { id, driverCode: 'Another', remark: 'x' });
    expect(await mine.data(`${MANAGER}/driver/get_by_id`, undefined, { id })).toMatchObject({
      ...before,
      remark: 'x',
    });
  });

  it('409: is not deleted while a device uses it', async () => {
    const { status, body } = await mine.post(`${MANAGER}/driver/delete`, { id: plant.driverId });
    expect(status).toBe(409);
    expect(body.message).toMatch(/in use: it still has device "thermostat-/);
  });

  it('404: is not shown to another tenant', async () => {
    const foreign = await theirs.get(`${MANAGER}/driver/get_by_id`, { id: plant.driverId });
    expect(foreign.status).toBe(404);
  });
});

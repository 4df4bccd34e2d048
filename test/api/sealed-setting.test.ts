import { randomBytes, randomUUID } from 'node:crypto';

import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { startDevice } from '../../driver/simulator/device.ts';
import { acrossTenants, inTenant } from '../../src/db/tenant.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { keepSlices, takeSlice } from '../../src/manager/table/import-slices.ts';
import { lwm2mDevice } from '../support/lwm2m/device.ts';
import { startWorld } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { until } from '../support/world/until.ts';

const MANAGER = '/api/v3/manager';
const key = () => randomBytes(16).toString('hex');

/** The secret settings of devices are sealed in the database. */
describe('a secret setting', () => {
  const data = prepared(() => freshDatabase());
  const world = started(() => startWorld({ database: data }));
  const admin = prepared(() => world.admin);

  const stored = (code: string, deviceId: string) =>
    inTenant(world.app.db, admin.tenantId, async (q) => {
      const { rows } = await sql<{ id: string; value: string; device: string }>`
        select c.id, c.config_value as value, c.device_id as device from svc_driver_attribute_config c
        join svc_driver_attribute a on a.tenant_id = c.tenant_id and a.id = c.attribute_id
        where c.tenant_id = ${admin.tenantId} and c.device_id = ${deviceId}
          and a.attribute_code = ${code}`.execute(q);
      return rows[0] ?? { id: '', value: '', device: '' };
    });
  /** Every column of every row of the table, as the table has it. */
  const wholeTable = (table: string) =>
    acrossTenants(world.app.db, 'doctor', async (q) => {
      const { rows } = await sql<{ text: string }>`
        select coalesce(string_agg(t::text, ' '), '') as text from ${sql.table(table)} t`.execute(
        q,
      );
      return rows[0]?.text ?? '';
    });
  /** As versions before this one stored it. */
  const inClear = (id: string, value: string) =>
    inTenant(world.app.db, admin.tenantId, (q) =>
      q
        .updateTable('svc_driver_attribute_config')
        .set({ configValue: value })
        .where('tenantId', '=', admin.tenantId)
        .where('id', '=', id)
        .execute(),
    );
  const changesOf = async (deviceId: string) =>
    z
      .object({
        records: z.array(z.looseObject({ operation: z.string(), entityName: z.string() })),
      })
      .parse(await admin.data('/api/v3/data/change/list', { deviceId }))
      .records.filter(({ entityName }) => entityName === 'pskKey')
      .map(({ operation }) => operation);

  /** A simulated device with this key registers, which only its key lets it. */
  async function isServed(endpoint: string, pskKey: string) {
    const server = { host: '127.0.0.1', port: world.lwm2mSecurePort };
    const psk = { identity: endpoint, key: pskKey };
    const log = createLog('silent');
    const registered = Promise.withResolvers<void>();
    const onEvent = ({ event }: { event: string }) => {
      if (event === 'registered') registered.resolve();
    };
    const device = await startDevice({ endpoint, server, lifetimeS: 3600, psk, log, onEvent });
    await registered.promise;
    await device.stop();
  }

  it('is nowhere in its table, and serves the device', async () => {
    const [endpoint, pskKey, factoryKey] = [fresh('urn:sealed'), key(), 'ab'.repeat(16)];
    const configs = { endpoint, securityMode: 'PSK', pskKey, factoryKey };
    await lwm2mDevice(admin, configs);
    const table = await wholeTable('svc_driver_attribute_config');
    expect(table).toContain(endpoint);
    expect(table).not.toContain(pskKey);
    expect(table).not.toContain(factoryKey);
    await isServed(endpoint, pskKey);
  });

  it('is nowhere in its table after an import, and serves the device', async () => {
    const [endpoint, pskKey] = [fresh('urn:sealed'), 'cd'.repeat(16)];
    const { driverId, profileId } = await lwm2mDevice(admin, {});
    const table = `deviceName,endpoint,securityMode,pskKey\r\n${endpoint},${endpoint},PSK,${pskKey}\r\n`;
    const address = `${MANAGER}/device/import?driverId=${driverId}&profileId=${profileId}`;
    const response = await fetch(world.base + address, {
      method: 'POST',
      headers: { ...admin.headers, 'content-type': 'text/csv' },
      body: table,
    });
    expect(response.status).toBe(200);
    const found = z
      .object({ records: z.array(z.object({ id: z.string() })) })
      .parse(await admin.data(`${MANAGER}/device/list`, { deviceName: endpoint }));
    const deviceId = found.records[0]?.id ?? '';
    expect((await stored('pskKey', deviceId)).value).toMatch(/^enc:v1:/);
    expect(await wholeTable('svc_driver_attribute_config')).not.toContain(pskKey);
    await isServed(endpoint, pskKey);
  });

  it('is sealed in the rows of an import that wait', async () => {
    const waiting = { tenantId: admin.tenantId, importId: randomUUID() };
    const rows = [{ row: 2, cells: new Map([['pskKey', '9d'.repeat(16)]]), refused: null }];
    await inTenant(world.app.db, admin.tenantId, (q) => keepSlices(q, world.app, waiting, rows));
    expect(await wholeTable('svc_device_import_slice')).toContain(waiting.importId);
    expect(await wholeTable('svc_device_import_slice')).not.toContain('9d'.repeat(16));
    const taken = await inTenant(world.app.db, admin.tenantId, (q) =>
      takeSlice(q, world.app, waiting),
    );
    expect(taken).toEqual(rows);
  });

  it('stays the same text when it is set to what it is, and opens in its own row only', async () => {
    const endpoint = fresh('urn:sealed');
    const first = await lwm2mDevice(admin, {
      endpoint,
      securityMode: 'PSK',
      pskKey: 'ef'.repeat(16),
    });
    const before = await stored('pskKey', first.deviceId);
    const update = (configValue: string) =>
      admin.data(`${MANAGER}/driver_attribute_config/update`, { id: before.id, configValue });
    await update('ef'.repeat(16));
    expect(await stored('pskKey', first.deviceId)).toEqual(before);
    expect(await changesOf(first.deviceId)).toEqual(['ADD']);
    await update('fe'.repeat(16));
    expect((await stored('pskKey', first.deviceId)).value).not.toBe(before.value);
    expect(await changesOf(first.deviceId)).toEqual(['UPDATE', 'ADD']);
    // Another device's sealed text is no key here.
    const other = await lwm2mDevice(admin, {
      endpoint: fresh('urn:sealed'),
      securityMode: 'PSK',
      pskKey: 'ba'.repeat(16),
    });
    await inClear(before.id, (await stored('pskKey', other.deviceId)).value);
    await admin.data(`${MANAGER}/device/update`, { id: first.deviceId, remark: 'sent again' });
    await eventually(
      () =>
        admin.data('/api/v3/data/device/status/get_by_device_id', undefined, {
          device_id: first.deviceId,
        }),
      (answer) => /pskKey is missing/.test(JSON.stringify(answer)),
    );
  });

  it('is served in clear as earlier versions stored it, and sealed when its driver registers', async () => {
    const [endpoint, pskKey] = [fresh('urn:sealed'), '0a'.repeat(16)];
    const { deviceId } = await lwm2mDevice(admin, { endpoint, securityMode: 'PSK', pskKey });
    const { id } = await stored('pskKey', deviceId);
    await inClear(id, pskKey);
    const logged = await changesOf(deviceId);
    await admin.data(`${MANAGER}/device/update`, { id: deviceId, remark: 'sent again' });
    await isServed(endpoint, pskKey);
    expect(await wholeTable('svc_driver_attribute_config')).toContain(pskKey);
    await world.bus.publish(
      'svc.e.metadata',
      { kind: 'resync', driverCode: 'Lwm2mDriver' },
      { key: 'Lwm2mDriver' },
    );
    await until(async () => {
      expect((await stored('pskKey', deviceId)).value).toMatch(/^enc:v1:/);
    });
    expect(await wholeTable('svc_driver_attribute_config')).not.toContain(pskKey);
    // Sealing changes no configuration.
    expect(await changesOf(deviceId)).toEqual(logged);
    await isServed(endpoint, pskKey);
  });
});

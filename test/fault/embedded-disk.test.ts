import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inTenant } from '../../src/db/tenant.ts';
import { uploadFirmware } from '../support/lwm2m/upload-firmware.ts';
import { uploadManual } from '../support/manuals/upload.ts';
import { uploadFile } from '../support/people/upload.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { onboard, report } from '../tools/agent.ts';

const DATA = '/api/v3/data';
const Health = z.looseObject({
  disk: z.object({ freeBytes: z.number(), reserveBytes: z.number(), refuses: z.boolean() }),
  refusedValues: z.array(z.looseObject({ reason: z.string(), refused: z.number() })),
});
const Ready = z.looseObject({ status: z.string(), degraded: z.array(z.string()) });

const world = startedWorld({ environment: { SVC_DISK_RESERVE_MB: '100000000' } });

describe('a disk that is almost full', () => {
  it('takes neither values nor events nor files, says so, counts what it refused, and lets things be deleted', async () => {
    const site = await onboard(world.admin, 'full');
    const { deviceId, pointId } = site;
    await report(world, world.admin, site, [20, 21]);
    const full = 'The disk with the data folder is almost full';
    const createTime = new Date(world.clock.now() - 60_000).toISOString();
    const values = [{ deviceId, pointId, value: '20', createTime }];
    const imported = await world.admin.post(`${DATA}/point_value/import`, { values });
    expect(imported.status).toBe(503);
    expect(imported.body.message).toContain(full);
    const files = await Promise.all([
      uploadManual(world.admin, 'Open valve V2.', 'v2.txt', { manualName: 'v2' }),
      uploadFile(world.admin, '0', 'Open valve V2.'),
      uploadFirmware(world.admin, new Uint8Array([1]), { packageName: 'v2', packageVersion: '1' }),
    ]);
    expect(files.map(({ status }) => status)).toEqual([503, 503, 503]);
    const eventId = await world.admin.data('/api/v3/manager/event/add', {
      eventName: 'full',
      eventCode: 'FULL',
      profileId: site.profileId,
    });
    const reported = await world.admin.post(`${DATA}/event_history/report`, { deviceId, eventId });
    expect(reported.status).toBe(503);
    expect(reported.body.message).toContain(full);
    const { tenantId } = world.admin;
    const recordId = randomUUID();
    const said = { schemaVersion: 1, recordId, tenantId, deviceId, eventCode: 'FULL' } as const;
    const event = { ...said, eventType: 'ALERT', eventLevel: 'HIGH', params: {} } as const;
    const occurTime = world.clock.now();
    await world.bus.handled('svc.e.event', { ...event, message: 'full', occurTime }, tenantId);
    const health = Health.parse(await world.admin.data(`${DATA}/dashboard/system/health`));
    expect(health.disk.refuses).toBe(true);
    expect(health.refusedValues).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ reason: 'EVENT_NO_ROOM', refused: 1, deviceId }),
        expect.objectContaining({ reason: 'NO_ROOM', refused: 2 }),
      ]),
    );
    expect(await world.admin.data(`${DATA}/event_history/list`, { deviceId })).toMatchObject({
      total: 0,
    });
    expect(await world.admin.data(`${DATA}/point_value/list`, { deviceId })).toMatchObject({
      total: 0,
    });
    const ready = Ready.parse(await (await fetch(`${world.base}/readyz`)).json());
    expect(ready.status).toBe('ready');
    expect(ready.degraded.join()).toContain(full);
    await world.admin.data('/api/v3/manager/device/delete', { id: deviceId });
  });

  it('is said where the database itself has no room', async () => {
    const { tenantId } = world.admin;
    const filling = inTenant(world.app.db, tenantId, (q) =>
      sql`do $$ begin raise exception 'no room' using errcode = '53100'; end $$`.execute(q),
    );
    await expect(filling).rejects.toThrow('The disk of the database is full');
  });
});

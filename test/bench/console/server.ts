/** The platform with very many devices, the first of which has values; reports one when it is asked to. */
import { z } from 'zod';

import { Quality } from '../../../src/bus/topic/topics.ts';
import { inTenant } from '../../../src/db/tenant.ts';
import { login } from '../../support/people/session.ts';
import { testEnvironment } from '../../support/world/environment.ts';
import { analyse } from '../engine/bare.ts';
import { measuredPlatform } from '../platform/measured.ts';
import {
  addDevices,
  addDriver,
  addHistory,
  addPoints,
  addProfile,
  addValues,
  firstDevice,
  idOf,
} from '../platform/plant.ts';
import { MANY, Report, WEEK_VALUES } from './question.ts';

const { app, url } = await measuredPlatform('/api/v3', 1);
const { tenantId } = await login(url, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
const { deviceId, pointId, driverId } = await inTenant(app.db, tenantId, async (q) => {
  const drivers = await idOf(addDriver(tenantId), q);
  const profiles = await idOf(addProfile(tenantId), q);
  const plant = { tenantId, driverId: drivers, profileId: profiles };
  await addPoints(plant).execute(q);
  await addDevices(plant, { to: MANY }).execute(q);
  const device = await idOf(firstDevice(plant), q);
  await addValues({ ...plant, deviceId: device }).execute(q);
  const { id } = await q
    .selectFrom('svc_point')
    .select('id')
    .where('tenantId', '=', tenantId)
    .orderBy('id')
    .executeTakeFirstOrThrow();
  await addHistory({ ...plant, deviceId: device }, id, WEEK_VALUES).execute(q);
  return { deviceId: device, pointId: id, driverId: drivers };
});
// As autovacuum leaves it, which otherwise comes in the middle of a measurement.
if (app.config.databaseUrl !== null) await analyse(app.config.databaseUrl);

let seq = 0;
async function report(text: string): Promise<void> {
  seq += 1;
  const value = { rawValue: text, calValue: text, numValue: Number(text), originTime: Date.now() };
  const values = [{ deviceId, pointId, ...value, seq, quality: Quality.GOOD }];
  const batch = { tenantId, driverId, driverCode: 'bench', node: 'bench', values };
  await app.bus.publish('svc.e.value', batch, { key: 'bench' });
}

process.on('message', (message) => {
  const receivedAt = Date.now();
  void report(Report.parse(message).text).then(() => process.send?.({ receivedAt }));
});
process.send?.(z.object({ url: z.string(), deviceId: z.string() }).parse({ url, deviceId }));

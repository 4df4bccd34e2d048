/**
 * Fills the database that the environment names: a first start, a login of the admin and a plant; says what
 * there is and ends.
 */
import type { Queries } from '../../../src/db/connect.ts';
import { inTenant } from '../../../src/db/tenant.ts';
import { startPlatform } from '../../../src/start/platform.ts';
import { login } from '../../support/people/session.ts';
import { testEnvironment } from '../../support/world/environment.ts';
import { analyse } from '../engine/bare.ts';
import * as plant from './plant.ts';
import { measuredSettings } from './settings.ts';

const { app, stop } = await startPlatform(measuredSettings());
const { tenantId } = await login(
  app.config.baseUrl,
  'default',
  'admin',
  testEnvironment.SVC_ADMIN_PASSWORD,
);
const filled = await inTenant(app.db, tenantId, (q) => fill(q));
await stop();
await analyse(app.config.databaseUrl ?? app.config.dataDir);
process.send?.(filled, () => process.exit());

async function fill(q: Queries): Promise<plant.Plant> {
  const driverId = await plant.idOf(plant.addDriver(tenantId), q);
  const profileId = await plant.idOf(plant.addProfile(tenantId), q);
  const owner = { tenantId, driverId, profileId };
  await plant.addPoints(owner).execute(q);
  await plant.addDevices(owner, { to: plant.DEVICES }).execute(q);
  const all = { ...owner, deviceId: await plant.idOf(plant.firstDevice(owner), q) };
  await plant.addValues(all).execute(q);
  return all;
}

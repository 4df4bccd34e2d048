/**
 * Fills the database that the environment names: a first start, a login of the admin and a plant; says what
 * there is and ends.
 */
import type { RawBuilder } from 'kysely';

import type { Queries } from '../../../src/db/connect.ts';
import { inTenant } from '../../../src/db/tenant.ts';
import { startPlatform } from '../../../src/main.ts';
import { login } from '../../support/people/session.ts';
import { testEnvironment } from '../../support/world/environment.ts';
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
process.send?.(filled, () => process.exit());

async function fill(q: Queries): Promise<plant.Plant> {
  const driverId = await idOf(q, plant.addDriver(tenantId));
  const profileId = await idOf(q, plant.addProfile(tenantId));
  const owner = { tenantId, driverId, profileId };
  await plant.addPoints(owner).execute(q);
  await plant.addDevices(owner, plant.DEVICES).execute(q);
  const all = { ...owner, deviceId: await idOf(q, plant.firstDevice(owner)) };
  await plant.addValues(all).execute(q);
  return all;
}

async function idOf(q: Queries, query: RawBuilder<{ id: string }>): Promise<string> {
  const { rows } = await query.execute(q);
  if (!rows[0]) throw new Error('no row');
  return rows[0].id;
}

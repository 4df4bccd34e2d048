/**
 * The platform with a tenant for each number of devices given as arguments behind the resource of the tokens, in one
 * table; reports a token for each tenant. The first device has a value of each point.
 */
import { z } from 'zod';

import { inTenant } from '../../../src/db/tenant.ts';
import { login } from '../../support/people/session.ts';
import { testEnvironment } from '../../support/world/environment.ts';
import { analyse } from '../engine/bare.ts';
import { report } from '../report.ts';
import { measuredPlatform } from './measured.ts';
import * as plant from './plant.ts';
import { serviceAccountTokens } from './service-account.ts';

/** Rows of one statement: it has to end within the platform's time limit. */
const SLICE = 50_000;

const password = testEnvironment.SVC_ADMIN_PASSWORD;
const [given, ...sizes] = process.argv.slice(2);
const resource = given === '/mcp' ? given : '/api/v3';
const { app, url } = await measuredPlatform(resource, 0);
const tokens: string[] = [];
for (const devices of sizes.map(Number)) tokens.push(await tokenOf(devices));

// The embedded engine is this process's; it has no statistics, as after a first start.
if (app.config.databaseUrl !== null) await analyse(app.config.databaseUrl);
report({ url, tokens });

async function tokenOf(devices: number): Promise<string> {
  const code = `t${devices}`;
  const platform = await login(url, 'default', 'admin', password);
  await platform.data('/api/v3/auth/tenant/add', { tenantName: code, tenantCode: code });
  const admin = await login(url, code, 'admin', password);
  const { tenantId } = admin;
  const owned = await inTenant(app.db, tenantId, async (q) => ({
    tenantId,
    driverId: await plant.idOf(plant.addDriver(tenantId), q),
    profileId: await plant.idOf(plant.addProfile(tenantId), q),
  }));
  for (let from = 1; from <= devices; from += SLICE) {
    const to = Math.min(devices, from + SLICE - 1);
    await inTenant(app.db, tenantId, (q) => plant.addDevices(owned, { from, to }).execute(q));
  }
  await inTenant(app.db, tenantId, async (q) => {
    await plant.addPoints(owned).execute(q);
    const deviceId = await plant.idOf(plant.firstDevice(owned), q);
    await plant.addValues({ ...owned, deviceId }).execute(q);
  });
  const [token] = await serviceAccountTokens(admin, `${url}${resource}`, 1);
  return z.string().parse(token);
}

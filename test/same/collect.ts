import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { pointAttributes } from '../support/devices/plant.ts';
import { freePort } from '../support/neighbours/free-port.ts';
import { startModel } from '../support/neighbours/model.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { login, type Session } from '../support/people/session.ts';
import { Records } from '../support/people/shapes.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { startProcess } from '../support/world/process.ts';
import { chat, reply } from './chat.ts';
import { mcp, type Plant } from './mcp.ts';
import type { Artefact } from './record.ts';
import { Document, rest, sections } from './rest.ts';

/** Starts the platform of a tree as a process, on an empty embedded database, and records what its clients get. */
export async function collect(tree: string): Promise<Map<string, Artefact>> {
  const data = await mkdtemp(join(tmpdir(), 'svc-same-data-'));
  const model = await startModel(reply);
  const port = await freePort();
  const platform = startProcess(
    ['src/main.ts', 'serve'],
    {
      ...testEnvironment,
      SVC_PORT: String(port),
      SVC_DATA_DIR: data,
      SVC_DEMO: 'off',
      SVC_EGRESS_ALLOW: new URL(model.baseUrl).host,
      AGENTIC_FALLBACK_OPENAI_BASE_URL: model.baseUrl,
      AGENTIC_FALLBACK_OPENAI_API_KEY: 'fallback-key',
      AGENTIC_FALLBACK_OPENAI_MODEL: 'fake-1',
    },
    '',
    tree,
  );
  try {
    await platform.line(/is up/);
    const base = `http://127.0.0.1:${port}`;
    const admin = await login(base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
    const plant = await onboard(admin);
    const scope = 'svc:read svc:read-device svc:propose';
    const bearer = await bearerFor(admin, { scope, name: 'agent' });
    const document = Document.parse(await (await fetch(`${base}/v3/api-docs`)).json());
    return new Map([
      ['openapi', sections(document)],
      ['mcp', await mcp(base, bearer, plant)],
      ['chat', await chat(admin, plant)],
      ['rest', await rest(document, admin)],
    ]);
  } finally {
    await platform.kill();
    await model.stop();
    await rm(data, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A thermostat on the virtual driver. */
async function onboard(admin: Session): Promise<Plant> {
  const add = async (path: string, body: object) =>
    String(await admin.data(`/api/v3/manager/${path}/add`, body));
  const { records } = Records.parse(
    await admin.data('/api/v3/manager/driver/list', { driverCode: 'VirtualDriver' }),
  );
  const driverId = records[0]?.id ?? '';
  const profileId = await add('profile', { profileName: 'room' });
  const point = { pointTypeFlag: 'DOUBLE', unit: '°C', profileId };
  const temperature = await add('point', {
    ...point,
    pointName: 'temperature',
    rwFlag: 'READ_ONLY',
  });
  const limits = { rwFlag: 'READ_WRITE', valueDecimal: 1, minValue: 5, maxValue: 30 };
  const target = await add('point', { ...point, ...limits, pointName: 'target' });
  const deviceName = 'thermostat';
  const deviceId = await add('device', { deviceName, driverId, profileId });
  // Without it the driver makes the value up.
  const attributeId = (await pointAttributes(admin, driverId)).get('signal');
  const setpoint = { deviceId, pointId: target, attributeId, configValue: 'setpoint' };
  await add('point_attribute_config', setpoint);
  return { deviceId, deviceName, temperature, target };
}

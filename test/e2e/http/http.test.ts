import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';

import { blocksOf } from '../../support/cases/document.ts';
import { freePort } from '../../support/neighbours/free-port.ts';
import { openTerminal, type Terminal } from '../../support/people/terminal.ts';
import { startWorld, type World } from '../../support/world/app.ts';
import { eventually } from '../../support/world/eventually.ts';

const Rows = z.looseObject({ records: z.array(z.looseObject({ id: z.string() })) });
const Values = z.array(z.looseObject({ calValue: z.string() }));

let world: World;
let terminal: Terminal;
let directory: string;
let device: Terminal;
/** The ports of the document, and those of this test. */
let ours: [string, string][];
beforeAll(async () => {
  const [port, devicePort] = [await freePort(), await freePort()];
  ours = [
    ['127.0.0.1:8680', `127.0.0.1:${port}`],
    ['127.0.0.1:9080', `127.0.0.1:${devicePort}`],
    ['"127.0.0.1", 9080', `"127.0.0.1", ${devicePort}`],
  ];
  const environment = {
    SVC_DRIVERS: 'http',
    HTTP_IN_PORT: `${port}`,
    SVC_EGRESS_ALLOW: `http:127.0.0.1:${devicePort}`,
  };
  world = await startWorld({ environment });
  directory = await mkdtemp(join(tmpdir(), 'http-'));
  terminal = openTerminal(directory, {});
  const asked = blocksOf('docs/http.md').find(({ place }) => place === 'third terminal');
  device = openTerminal(directory, {}, replaced(asked?.script ?? ''));
}, 240_000);
afterAll(async () => {
  await device.interrupt();
  await terminal.interrupt();
  await rm(directory, { recursive: true, force: true });
  await world.stop();
});

const replaced = (script: string): string =>
  ours.reduce((text, [theirs, own]) => text.replaceAll(theirs, own), script);

/** What the walk-through has set by then: `post`, `field`, the address, and the headers of a login. */
async function asConnected(): Promise<void> {
  const walk = blocksOf('docs/walkthrough.md')[0]?.script ?? '';
  await terminal.run(walk.replaceAll('http://127.0.0.1:8000', world.base));
  const headers = Object.entries(world.admin.headers).map(
    ([name, value]) => `-H '${name}: ${value}'`,
  );
  await terminal.run(`A=(${headers.join(' ')})`);
}

it('the document works as it is written, with curl, openssl and Python', async () => {
  const { admin } = world;
  await asConnected();
  const printed: string[] = [];
  for (const { place, script } of blocksOf('docs/http.md'))
    if (place === 'second terminal') printed.push(await terminal.run(replaced(script)));
  const all = printed.join('\n');
  expect(all).toContain('"imported":1');
  expect(all).toContain('"taken":1');
  expect(all).toMatch(/'taken': 1, 'refused': \[\{'at': 'values\[1\]', 'code': 'TIME_TOO_OLD'/);
  expect(all).toContain('"readBackValue":"24.5"');
  const id = async (noun: string, body: object): Promise<string> =>
    Rows.parse(await admin.data(`/api/v3/manager/${noun}/list`, body)).records[0]?.id ?? '';
  const deviceId = await id('device', { deviceName: 'station-3' });
  const profileId = await id('profile', { profileName: 'weather station' });
  const pointId = await id('point', { pointName: 'temperature', profileId });
  const path = '/api/v3/data/point_value/list_history_by_device_id_and_point_id';
  const of = { device_id: deviceId, point_id: pointId };
  const history = async () => Values.parse(await admin.data(path, undefined, of));
  const values = await eventually(history, ({ length }) => length >= 2);
  expect(values.map(({ calValue }) => calValue).toSorted()).toEqual(['21.5', '21.7']);
  const status = await admin.data('/api/v3/data/device/status/get_by_device_id', undefined, {
    device_id: deviceId,
  });
  expect(JSON.stringify(status)).toContain('"online"');
  // Sealed at rest, and never shown: neither by REST nor in its row.
  const configs = await admin.data('/api/v3/manager/driver_attribute_config/list', { deviceId });
  expect(JSON.stringify(configs)).not.toContain('whsec_');
});

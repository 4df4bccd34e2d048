import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { onboard } from '../support/devices/plant.ts';
import { Records } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const DEVICE = '/api/v3/manager/device';
const Envelope = z.object({ code: z.string(), message: z.string(), data: z.unknown().optional() });
const Configs = z.array(z.looseObject({ attributeCode: z.string(), configValue: z.string() }));

describe('a table of devices', () => {
  let titles: string[];
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const plant = prepared(() => onboard(mine));

  const post = (
    path: string,
    body: string,
    { type = 'text/csv', session = mine, driverId = plant.driverId } = {},
  ) => {
    const { profileId } = plant;
    const query = new URLSearchParams({ driverId, profileId }).toString();
    return fetch(`${world.base}${DEVICE}/${path}?${query}`, {
      method: 'POST',
      headers: { ...session.headers, 'content-type': type },
      body,
    });
  };
  const load = async (table: string, session = mine, driverId = plant.driverId) => {
    const type = 'text/csv; charset=utf-8';
    const response = await post('import', table, { type, session, driverId });
    return { status: response.status, ...Envelope.parse(await response.json()) };
  };
  const named = async (deviceName: string) =>
    Records.parse(await mine.data(`${DEVICE}/list`, { deviceName })).records;

  it('200: has a template with a column for each config', async () => {
    const response = await post('export/import_template', '{}', { type: 'application/json' });
    expect(response.headers.get('content-type')).toContain('text/csv');
    expect(response.headers.get('content-disposition')).toContain('attachment');
    titles = (await response.text()).trim().split(',');
    expect(titles.slice(0, 4)).toEqual(['deviceName', 'deviceCode', 'remark', 'host']);
    expect(titles.filter((title) => title.endsWith('/signal'))).toHaveLength(2);
  });

  it('200: is taken as it is filled in; the configs are those of its columns', async () => {
    const [one, two] = [fresh('row'), fresh('row')];
    const signal = titles.find((title) => title.endsWith('/signal')) ?? '';
    const table = `deviceName,remark,host,${signal}\r\n${one},"a, b",h1,ramp\r\n${two},,,\r\n`;
    expect(await load(table)).toMatchObject({ status: 200, code: 'R201', data: { imported: 2 } });
    const [device] = await named(one);
    expect(device).toMatchObject({ remark: 'a, b', driverId: plant.driverId });
    const configs = (kind: string, id: string) =>
      mine.data(`/api/v3/manager/${kind}_attribute_config/list_by_device_id`, undefined, {
        device_id: id,
      });
    expect(Configs.parse(await configs('driver', device?.id ?? ''))).toMatchObject([
      { attributeCode: 'host', configValue: 'h1' },
    ]);
    expect(Configs.parse(await configs('point', device?.id ?? ''))).toMatchObject([
      { attributeCode: 'signal', configValue: 'ramp' },
    ]);
    const [plain] = await named(two);
    expect(await configs('point', plain?.id ?? '')).toEqual([]);
  });

  it.each([
    [422, 'Row 3: deviceName must be 1 to 64 letters', (name: string) => `deviceName\n${name}\n!!`],
    [422, 'Row 2: The value of port must be a INT', (name: string) => `deviceName,port\n${name},x`],
    [422, 'There is no column "colour"', (name: string) => `deviceName,colour\n${name},red`],
    [400, 'The table has no column deviceName', (name: string) => `name\n${name}`],
    [400, 'The table is broken after row 1', (name: string) => `deviceName\n"${name}`],
    [409, 'The device name is already taken', (name: string) => `deviceName\n${name}\n${name}`],
  ])('%i: %s, and then adds none of its devices', async (status, message, table) => {
    const name = fresh('refused');
    const answer = await load(table(name));
    expect(answer.status).toBe(status);
    expect(answer.message).toContain(message);
    expect(await named(name)).toEqual([]);
  });

  it.each([
    ['a row of 15 million commas', ','.repeat(15_000_000), 'Row 1 is longer than 256 KiB'],
    [
      'a cell of 9 million doubled quotes',
      `deviceName\n"${'""'.repeat(9_000_000)}"`,
      'Row 2 is longer than 256 KiB',
    ],
    ['one title twice', 'deviceName,remark,remark\na,b,c', 'The table has two columns "remark"'],
  ])('400: %s', async (_what, table, message) => {
    expect(await load(table)).toMatchObject({ status: 400, message });
  });

  it('of many rows lets others be served between its slices', async () => {
    const names = Array.from({ length: 600 }, () => fresh('many'));
    const meanwhile = { over: false };
    const importing = load(`deviceName,host\n${names.map((name) => `${name},h1`).join('\n')}`);
    void importing.finally(() => (meanwhile.over = true));
    const seen = new Set<number>();
    while (!meanwhile.over) {
      const page = await mine.data(`${DEVICE}/list`, { deviceName: 'many' });
      seen.add(z.looseObject({ total: z.number() }).parse(page).total);
    }
    expect(await importing).toMatchObject({ code: 'R201', data: { imported: 600 } });
    // Somebody was answered while some of the devices were there.
    expect([...seen].some((total) => total > 0 && total < 600)).toBe(true);
  });

  it('409: leaves nothing of the slices before one that is refused', async () => {
    const names = Array.from({ length: 300 }, () => fresh('half'));
    const found = await mine.data('/api/v3/manager/driver/list', { driverCode: 'Lwm2mDriver' });
    const driverId = Records.parse(found).records[0]?.id ?? '';
    // The last row wants what the first has by then.
    const endpoints = [...names.slice(0, -1), names[0]];
    const rows = names.map((name, index) => `${name},${endpoints[index]}`).join('\n');
    expect(await load(`deviceName,endpoint\n${rows}`, mine, driverId)).toMatchObject({
      status: 409,
      message: 'Row 301: The endpoint is already taken: it can belong to one device only',
    });
    expect(await named('half')).toEqual([]);
    const again = `deviceName,endpoint\n${names[0]},${names[0]}`;
    expect(await load(again, mine, driverId)).toMatchObject({ data: { imported: 1 } });
  });

  it("404: for another tenant's driver; 413: beyond 20 MB", async () => {
    const other = await world.tenant('other');
    expect((await load(`deviceName\n${fresh('x')}`, other)).status).toBe(404);
    const huge = await post('import', 'x'.repeat(20 * 1024 * 1024 + 1));
    expect(huge.status).toBe(413);
  });
});

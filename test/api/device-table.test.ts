import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { add, onboard } from '../support/devices/plant.ts';
import { worker } from '../support/people/accounts.ts';
import { Records } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const DEVICE = '/api/v3/manager/device';
const Envelope = z.object({ code: z.string(), message: z.string(), data: z.unknown().optional() });

describe('a preview of a table of devices', () => {
  let device: { deviceName: string; deviceCode: string };
  let signal: string;
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const plant = prepared(() => onboard(mine));
  beforeAll(async () => {
    device = z
      .looseObject({ deviceName: z.string(), deviceCode: z.string() })
      .parse(await mine.data(`${DEVICE}/get_by_id`, undefined, { id: plant.deviceId }));
    signal = (await template()).split(',').find((title) => title.endsWith('/signal')) ?? '';
  });

  const at = (path: string) =>
    `${world.base}${DEVICE}/import/${path}?driver_id=${plant.driverId}&profile_id=${plant.profileId}`;
  const template = async () =>
    (await (await fetch(at('template'), { headers: mine.headers })).text()).trim();
  const preview = async (body: string | Uint8Array<ArrayBuffer>, session = mine) => {
    const headers = { ...session.headers, 'content-type': 'text/csv; charset=utf-8' };
    const response = await fetch(at('preview'), { method: 'POST', headers, body });
    return { status: response.status, ...Envelope.parse(await response.json()) };
  };
  const total = async () =>
    z
      .looseObject({ total: z.number() })
      .parse(await mine.data(`${DEVICE}/list`, { profileId: plant.profileId })).total;

  it('has a template with the columns of a device, its driver and its points', async () => {
    const titles = (await template()).split(',');
    const own = ['deviceName', 'deviceCode', 'remark', 'enableFlag', 'groupName', 'labelNames'];
    expect(titles.slice(0, 7)).toEqual([...own, 'host']);
    expect(titles.filter((title) => title.endsWith('/signal'))).toHaveLength(2);
  });

  it('says of each row what an import would do, and writes nothing', async () => {
    const { deviceName, deviceCode } = device;
    const before = await total();
    const name = fresh('added');
    const table = [
      'deviceName,deviceCode,remark,host',
      `${name},,,h1`,
      `${deviceName},,,`,
      `${deviceName} 2,${deviceCode},moved,h2`,
      '!!,,,',
      `${name},,,`,
    ];
    const changes = [
      { column: 'deviceName', before: deviceName, after: `${deviceName} 2` },
      { column: 'remark', before: '', after: 'moved' },
      { column: 'host', before: '', after: 'h2' },
    ];
    const plain = { column: '', reason: '', changes: [] };
    expect(await preview(table.join('\r\n'))).toMatchObject({
      status: 200,
      data: {
        total: 5,
        add: 1,
        change: 1,
        unchanged: 1,
        refused: 2,
        rows: [
          { row: 5, verdict: 'REFUSED', column: 'deviceName', reason: /must be 1 to 64/ },
          { row: 6, verdict: 'REFUSED', column: 'deviceName', reason: 'Row 2 has the same' },
          { row: 4, verdict: 'CHANGE', changes },
          { row: 2, deviceName: name, verdict: 'ADD', ...plain },
          { row: 3, deviceName, verdict: 'UNCHANGED', ...plain },
        ].map(({ reason, ...one }) => ({
          ...one,
          ...(reason === undefined
            ? {}
            : { reason: reason instanceof RegExp ? expect.stringMatching(reason) : reason }),
        })),
      },
    });
    expect(await total()).toBe(before);
  });

  it.each([
    ['port', 'x', 'The value of port must be a INT'],
    ['deviceCode', '!', 'must be 2 to 64 letters'],
    ['enableFlag', 'PERHAPS', 'must be one of ENABLE, DISABLE'],
    ['groupName', 'no such', 'There is no such group of devices'],
    ['labelNames', 'no such', 'There is no such label of devices'],
  ])('names the cell of %s that is wrong', async (column, cell, reason) => {
    const answer = await preview(`deviceName,${column}\n${fresh('row')},${cell}`);
    expect(answer.data).toMatchObject({
      refused: 1,
      rows: [{ row: 2, column, reason: expect.stringContaining(reason) }],
    });
  });

  it('reads a decimal comma where semicolons or tabs separate cells, in columns of numbers alone', async () => {
    const max = signal.replace(/signal$/, 'max');
    const told = async (mark: string, title: string, cell: string) => {
      const table = [`deviceName${mark}${title}`, `${device.deviceName}${mark}${cell}`];
      return (await preview(table.join('\n'))).data;
    };
    for (const mark of [';', '\t'])
      expect(await told(mark, max, '8,5')).toMatchObject({
        change: 1,
        rows: [{ changes: [{ column: max, after: '8.5' }] }],
      });
    expect(await told(';', 'remark', '8,5')).toMatchObject({
      rows: [{ changes: [{ after: '8,5' }] }],
    });
    expect(await told(',', max, '"8,5"')).toMatchObject({ refused: 1 });
    expect(await told(';', max, '1.234,5')).toMatchObject({ refused: 1 });
  });

  it('compares groups, labels and the configs of points', async () => {
    const [groupName, labelName] = [fresh('hall'), fresh('tag')];
    await add(mine, 'group', { groupName, groupTypeFlag: 'DEVICE' });
    await add(mine, 'label', { labelName, entityTypeFlag: 'DEVICE' });
    const table = `deviceName,groupName,labelNames,${signal}\n${device.deviceName},${groupName},${labelName},ramp`;
    const { data } = await preview(table);
    expect(data).toMatchObject({
      change: 1,
      rows: [
        {
          changes: [
            { column: 'groupName', before: '', after: groupName },
            { column: 'labelNames', before: '', after: labelName },
            { column: signal, after: 'ramp' },
          ],
        },
      ],
    });
  });

  it('refuses a device of another profile, and a name that another device has', async () => {
    const other = await onboard(mine);
    const row = async (id: string) =>
      Records.parse(await mine.data(`${DEVICE}/list`, { profileId: id })).records[0];
    const name = String((await row(other.profileId))?.['deviceName']);
    const table = `deviceName,deviceCode\n${name},\n${name},${device.deviceCode}`;
    expect((await preview(table)).data).toMatchObject({ refused: 2 });
    const [first] = z
      .looseObject({ rows: z.array(z.looseObject({})) })
      .parse((await preview(`deviceName\n${name}`)).data).rows;
    expect(first).toMatchObject({ reason: 'The device has another driver or profile' });
  });

  it('takes semicolons and a byte order mark', async () => {
    const answer = await preview(`\uFEFFdeviceName;remark\r\n${fresh('row')};a, b\r\n`);
    expect(answer.data).toMatchObject({ total: 1, add: 1 });
  });

  it.each([
    [400, 'The table is not UTF-8', () => Buffer.from('deviceName\nd\xE9vice', 'latin1')],
    [400, 'The table has more than 20001 rows', () => `deviceName\n${'a\n'.repeat(20_001)}`],
    [400, 'The table has no column deviceName', () => ''],
    [400, 'The table is broken after row 1', () => 'deviceName\n"a'],
    [400, 'csv', () => `deviceName\n${'a'.repeat(5 * 1024 * 1024)}`],
    [400, 'Row 1 is longer than 256 KiB', () => ','.repeat(4_000_000)],
    [422, 'There is no column "colour"', () => 'deviceName,colour\na,red'],
  ])('%i: %s', async (status, message, table) => {
    const body = table();
    const answer = await preview(typeof body === 'string' ? body : new Uint8Array(body));
    expect(answer.status).toBe(status);
    expect(answer.message).toContain(message);
  });

  it('reads a table of 20,000 rows, and answers with 500 of them', async () => {
    const name = fresh('many');
    const rows = Array.from({ length: 20_000 }, (_, index) => `${name}-${index},h`);
    const { data } = await preview(`deviceName,host\n${rows.join('\n')}`);
    expect(data).toMatchObject({ total: 20_000, add: 20_000 });
    expect(z.looseObject({ rows: z.array(z.unknown()) }).parse(data).rows).toHaveLength(500);
  });

  it("403 without the right to change devices; 404 for another tenant's driver", async () => {
    const { session } = await worker(mine, [
      'svc-center-manager:device:list',
      'svc-center-manager:device:add',
    ]);
    expect((await preview('deviceName\nab', session)).status).toBe(403);
    expect((await preview('deviceName\nab', await world.tenant('other'))).status).toBe(404);
  });
});

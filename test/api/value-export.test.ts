import { describe, expect, it } from 'vitest';

import { csvRows } from '../../src/kernel/input/csv.ts';
import { add, onboard } from '../support/devices/plant.ts';
import { readParquet } from '../support/parquet/read.ts';
import { worker } from '../support/people/accounts.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const VALUE = '/api/v3/data/point_value';
const START = Date.UTC(2026, 0, 1);
const SPAN = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' };

describe('a table of the values of a point', () => {
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const plant = prepared(() => onboard(mine));

  const exported = (pointId: string, span: Record<string, string> = SPAN, session = mine) => {
    const of = { device_id: plant.deviceId, point_id: pointId, ...span };
    return fetch(`${world.base}${VALUE}/export?${new URLSearchParams(of).toString()}`, {
      headers: session.headers,
    });
  };
  const rowsOf = async (response: Response) =>
    Array.fromAsync(csvRows(await response.text(), 20_000));
  const keep = (pointId: string, values: readonly [number, string][]) =>
    mine.data(`${VALUE}/import`, {
      values: values.map(([at, value]) => ({
        deviceId: plant.deviceId,
        pointId,
        value,
        createTime: new Date(START + at).toISOString(),
      })),
    });

  it('has each of them once, oldest first, page by page', async () => {
    const values = Array.from({ length: 4_500 }, (_, index): [number, string] => [
      // Three values have the same time: pages also end within a millisecond.
      Math.floor(index / 3) * 1_000,
      String(index - 2_000.5),
    ]);
    for (let at = 0; at < values.length; at += 450)
      await keep(plant.temperature, values.slice(at, at + 450));
    const response = await exported(plant.temperature);
    expect(response.headers.get('content-type')).toContain('text/csv');
    expect(response.headers.get('content-length')).toBeNull();
    const [titles, ...rows] = await rowsOf(response);
    const { deviceId, temperature } = plant;
    const columns = ['createTime', 'value', 'unit', 'rawValue', 'quality', 'deviceId', 'pointId'];
    expect(titles).toEqual(columns);
    expect(rows.map(([, value]) => value)).toEqual(values.map(([, value]) => value));
    expect(rows[0]).toEqual([
      '2026-01-01T00:00:00.000Z',
      '-2000.5',
      '°C',
      '-2000.5',
      'GOOD',
      deviceId,
      temperature,
    ]);
    const part = await exported(plant.temperature, {
      from: '2026-01-01T00:00:01Z',
      to: '2026-01-01T00:00:02Z',
    });
    expect(await rowsOf(part)).toHaveLength(1 + 6);
  });

  it('has the local time beside that in UTC where a time zone is given', async () => {
    const point = await add(mine, 'point', {
      pointName: fresh('flow'),
      pointTypeFlag: 'DOUBLE',
      profileId: plant.profileId,
    });
    const summer = Date.UTC(2026, 2, 29, 0, 59, 59, 500) - START;
    await keep(point, [
      [summer, '1'],
      [summer + 1_000, '2'],
    ]);
    const span = { from: '2026-03-01T00:00:00Z', to: '2026-04-01T00:00:00Z' };
    const [titles, ...rows] = await rowsOf(
      await exported(point, { ...span, timezone: 'Europe/Berlin' }),
    );
    expect(titles?.at(-1)).toBe('localTime');
    expect(rows.map((cells) => [cells[0], cells.at(-1)])).toEqual([
      ['2026-03-29T00:59:59.500Z', '2026-03-29 01:59:59'],
      ['2026-03-29T01:00:00.500Z', '2026-03-29 03:00:00'],
    ]);
    expect((await exported(point, { ...span, timezone: 'Mars/Base' })).status).toBe(400);
  });

  it('is a Parquet file with the same values, typed, in groups', async () => {
    const point = await add(mine, 'point', {
      pointName: fresh('level'),
      pointTypeFlag: 'DOUBLE',
      unit: 'm³/h',
      profileId: plant.profileId,
    });
    const values = Array.from({ length: 10_500 }, (_, n): [number, string] => [
      n * 1_000,
      `${n}.5`,
    ]);
    const lines = values.map(([at, text]) =>
      [plant.deviceId, point, text, new Date(START + at).toISOString()].join(','),
    );
    const body = ['deviceId,pointId,value,createTime', ...lines].join('\r\n');
    const headers = { ...mine.headers, 'content-type': 'text/csv' };
    const stored = await fetch(`${world.base}${VALUE}/import`, { method: 'POST', headers, body });
    expect(stored.status).toBe(200);
    const of = { device_id: plant.deviceId, point_id: point, ...SPAN };
    const ask = (session = mine) =>
      fetch(`${world.base}${VALUE}/export/parquet?${new URLSearchParams(of).toString()}`, {
        headers: session.headers,
      });
    const response = await ask();
    expect(response.headers.get('content-type')).toBe('application/vnd.apache.parquet');
    const { schema, groups, rows } = readParquet(Buffer.from(await response.arrayBuffer()));
    expect(schema.map((column) => column.get(4))).toEqual([
      'createTime',
      'value',
      'number',
      'unit',
      'rawValue',
      'quality',
      'seq',
      'receiveTime',
      'deviceId',
      'pointId',
    ]);
    expect(groups).toBe(2);
    expect(rows.map(([at, text, number]) => [at, text, number])).toEqual(
      values.map(([at, text]) => [String(START + at), text, Number(text)]),
    );
    const [, , , ...rest] = rows[0] ?? [];
    const received = expect.stringMatching(/^\d{13}$/);
    expect(rest).toEqual(['m³/h', '0.5', 'GOOD', '0', received, plant.deviceId, point]);
    const { session: nobody } = await worker(mine, ['svc-center-manager:device:get']);
    expect((await ask(nobody)).status).toBe(403);
    expect((await ask(await world.tenant(fresh('stranger')))).status).toBe(404);
  });

  it('is imported as it was exported, also of another device', async () => {
    const { deviceId: from, profileId, driverId } = plant;
    const pointId = await add(mine, 'point', {
      pointName: fresh('pressure'),
      pointTypeFlag: 'DOUBLE',
      rwFlag: 'READ_ONLY',
      unit: 'bar',
      profileId,
    });
    const kept = ['GOOD', 'UNCERTAIN', 'BAD'].map((quality, index) => ({
      deviceId: from,
      pointId,
      value: quality === 'BAD' ? 'NaN' : `${index}.5`,
      rawValue: `${index}5`,
      quality,
      createTime: new Date(START + Math.floor(index / 2) * 1_000).toISOString(),
    }));
    await mine.data(`${VALUE}/import`, { values: kept });
    const table = await (await exported(pointId, { ...SPAN, timezone: 'Europe/Berlin' })).text();
    expect(table).toContain(',NaN,bar,25,BAD,');
    const back = (csv: string) => {
      const headers = { ...mine.headers, 'content-type': 'text/csv' };
      return fetch(`${world.base}${VALUE}/import`, { method: 'POST', headers, body: csv });
    };
    expect(await (await back(table)).json()).toMatchObject({ data: { accepted: 3, stored: 0 } });
    const deviceName = fresh('other');
    const deviceId = await add(mine, 'device', { deviceName, driverId, profileId });
    const other = table.replaceAll(`,${from},`, `,${deviceId},`);
    expect(await (await back(other)).json()).toMatchObject({ data: { accepted: 3, stored: 3 } });
    const of = { device_id: deviceId, point_id: pointId, ...SPAN, timezone: 'Europe/Berlin' };
    const again = await fetch(
      `${world.base}${VALUE}/export?${new URLSearchParams(of).toString()}`,
      { headers: mine.headers },
    );
    expect(await again.text()).toBe(other);
    const wrong = await back(table.replaceAll('bar', 'psi'));
    expect(wrong.status).toBe(422);
    expect(await wrong.text()).toContain('Row 2: the point has “bar”, not “psi”');
  });

  it('shields texts that a spreadsheet would take for formulas, and no number', async () => {
    const note = await add(mine, 'point', {
      pointName: fresh('note'),
      pointTypeFlag: 'STRING',
      rwFlag: 'READ_ONLY',
      profileId: plant.profileId,
    });
    const texts = ['=1+1', '@x', '-1', 'a;b', 'say "x"', 'two\nlines'];
    await keep(
      note,
      texts.map((text, index) => [index * 1_000, text]),
    );
    const response = await exported(note);
    const table = await response.clone().text();
    expect(table).toContain(`,'=1+1,`);
    expect(table).toContain(',-1,');
    expect((await rowsOf(response)).slice(1).map(([, value]) => value)).toEqual(texts);
  });

  it.each([
    [400, 'A table has at most 366 days', { from: '2024-01-01T00:00:00Z', to: SPAN.to }],
    [400, 'from', { from: 'yesterday' }],
  ])('%i: %s', async (status, message, span) => {
    const answer = await exported(plant.temperature, span);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain(message);
  });

  it("403 without the right to list values; 404 for another tenant's device", async () => {
    const { session } = await worker(mine, ['svc-center-manager:device:get']);
    expect((await exported(plant.temperature, SPAN, session)).status).toBe(403);
    const other = await world.tenant('other');
    expect((await exported(plant.temperature, SPAN, other)).status).toBe(404);
  });
});

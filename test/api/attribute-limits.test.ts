import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { add } from '../support/devices/plant.ts';
import { Attributes, Records } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const MANAGER = '/api/v3/manager';
const Envelope = z.object({ message: z.string(), data: z.unknown().optional() });
const code = fresh('LimitDriver');
const of = { description: '', secret: false, defaultValue: '' };

describe('an attribute with limits that its driver declares', () => {
  let driverId: string;
  let profileId: string;
  let pointId: string;
  let pointCode: string;
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  beforeAll(async () => {
    await world.bus.handled(
      'svc.e.driver_register',
      {
        driverCode: code,
        driverName: code,
        driverType: 'DRIVER_CLIENT',
        serviceName: 'svc-driver-limit',
        serviceHost: '',
        node: 'n1',
        driverAttributes: [
          { ...of, code: 'host', name: 'host', type: 'STRING', required: true },
          {
            ...of,
            code: 'port',
            name: 'port',
            type: 'INT',
            defaultValue: '1',
            min: 1,
            max: 65_535,
          },
        ],
        pointAttributes: [
          { ...of, code: 'register', name: 'register', type: 'INT', required: true, min: 0 },
          { ...of, code: 'gain', name: 'gain', type: 'DOUBLE', defaultValue: '1', max: 2.5 },
          { ...of, code: 'order', name: 'order', type: 'STRING', oneOf: ['big', 'little'] },
        ],
      },
      code,
    );
    const found = await mine.data(`${MANAGER}/driver/list`, { driverCode: code });
    driverId = Records.parse(found).records[0]?.id ?? '';
    profileId = await add(mine, 'profile', { profileName: fresh('meter') });
    pointCode = fresh('level');
    pointId = await add(mine, 'point', {
      profileId,
      pointName: pointCode,
      pointCode,
      pointTypeFlag: 'INT',
    });
  });

  const attributesOf = async (kind: string) =>
    Attributes.parse(
      await mine.data(`${MANAGER}/${kind}_attribute/list_by_driver_id`, undefined, {
        driver_id: driverId,
      }),
    );
  const device = () => add(mine, 'device', { deviceName: fresh('meter'), driverId, profileId });
  async function config(attributeCode: string, configValue: string) {
    const kind = ['host', 'port'].includes(attributeCode) ? 'driver' : 'point';
    const rows = await attributesOf(kind);
    const attributeId = rows.find((row) => row.attributeCode === attributeCode)?.id;
    const path = `${MANAGER}/${kind}_attribute_config`;
    const at = { deviceId: await device(), ...(kind === 'point' && { pointId }) };
    const given = { ...at, attributeId, configValue };
    return { path, answer: await mine.post(`${path}/add`, given) };
  }

  it('says so to those that read it', async () => {
    const rows = z
      .array(z.looseObject({ attributeCode: z.string(), attributeExt: z.unknown() }))
      .parse(await attributesOf('driver'));
    expect(rows).toMatchObject([
      { attributeCode: 'host', attributeExt: { required: true } },
      { attributeCode: 'port', attributeExt: { min: 1, max: 65_535 } },
    ]);
  });

  it.each([
    ['port', '0', 'must be 1 to 65535: the driver takes no other'],
    ['port', '65536', 'must be 1 to 65535: the driver takes no other'],
    ['port', '', 'must be a INT'],
    ['host', ' ', 'must not be empty: the driver requires it'],
    ['register', '-1', 'must be at least 0: the driver takes no other'],
    ['gain', '2.6', 'must be at most 2.5: the driver takes no other'],
    ['order', 'middle', 'must be “big” or “little”: the running driver takes no other'],
  ])('422: takes for %s no “%s”', async (attributeCode, value, problem) => {
    const { answer } = await config(attributeCode, value);
    expect([answer.status, answer.body.message]).toEqual([
      422,
      `The value of ${attributeCode} ${problem}`,
    ]);
  });

  it.each([
    ['port', '65535', '65536'],
    ['host', 'meter-1', ''],
    ['register', '0', '-1'],
    ['gain', '2.5', '3'],
  ])('200: takes for %s “%s”, and no “%s” later', async (attributeCode, value, later) => {
    const { path, answer } = await config(attributeCode, value);
    expect(answer.status).toBe(200);
    const change = { id: answer.body.data, configValue: later };
    const { status, body } = await mine.post(`${path}/update`, change);
    expect([status, body.message]).toEqual([
      422,
      expect.stringContaining(`The value of ${attributeCode} must `),
    ]);
  });

  const loaded = async (path: string, table: string) => {
    const query = new URLSearchParams({ driverId, profileId }).toString();
    const response = await fetch(`${world.base}${MANAGER}/device/${path}?${query}`, {
      method: 'POST',
      headers: { ...mine.headers, 'content-type': 'text/csv; charset=utf-8' },
      body: table,
    });
    return { status: response.status, ...Envelope.parse(await response.json()) };
  };
  const titles = () => `deviceName,host,port,${pointCode}/register`;

  it.each([
    ['m,,1,1', 'The value of host must not be empty: the driver requires it'],
    ['m,h,0,1', 'The value of port must be 1 to 65535: the driver takes no other'],
    ['m,h,1,', 'register must not be empty: the driver requires it'],
    ['m,h,1,-1', 'The value of register must be at least 0: the driver takes no other'],
  ])('422: adds no device of a table with the row %s', async (row, problem) => {
    const { status, message } = await loaded('import', `${titles()}\n${row}`);
    expect([status, message]).toEqual([422, expect.stringMatching(`^Row 2: .*${problem}$`)]);
  });

  it('is in the preview of a table by its column, and asked of new devices alone', async () => {
    const name = fresh('known');
    await add(mine, 'device', { deviceName: name, driverId, profileId });
    const register = `${pointCode}/register`;
    const rows = [`a,h,1,1`, `b,,1,1`, `c,h,70000,1`, `d,h,1,`, `${name},,2,`];
    const { data } = await loaded('import/preview', [titles(), ...rows].join('\n'));
    expect(data).toMatchObject({ add: 1, change: 1, refused: 3 });
    const Rows = z.looseObject({
      rows: z.array(
        z.looseObject({ deviceName: z.string(), column: z.string(), reason: z.string() }),
      ),
    });
    const refused = Rows.parse(data).rows.filter(({ reason }) => reason !== '');
    const missing = 'The value must not be empty: the driver requires it';
    expect(refused.map((each) => [each.deviceName, each.column, each.reason])).toEqual([
      ['b', 'host', missing],
      ['c', 'port', 'The value of port must be 1 to 65535: the driver takes no other'],
      ['d', register, missing],
    ]);
  });

  it.each([
    [{ min: 2, max: 1 }, '', 'attributeExt of own: min must not be above max'],
    [{ min: '2' }, '', 'attributeExt of own: min: Invalid input: expected number, received string'],
    [{ max: 5 }, '6', 'The default value of own must be at most 5: the driver takes no other'],
  ])(
    '422: that a user adds is refused with %o and the default “%s”',
    async (ext, text, message) => {
      const given = {
        driverId,
        attributeName: 'own',
        attributeCode: 'own',
        attributeTypeFlag: 'INT',
        attributeExt: ext,
        defaultValue: text,
      };
      const { status, body } = await mine.post(`${MANAGER}/point_attribute/add`, given);
      expect([status, body.message]).toEqual([422, message]);
    },
  );
});

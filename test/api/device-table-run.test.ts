import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { add, onboard } from '../support/devices/plant.ts';
import { Id, Records } from '../support/people/shapes.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const DEVICE = '/api/v3/manager/device';
const Import = z.looseObject({
  importId: z.string(),
  status: z.string(),
  total: z.number(),
  done: z.number(),
});

describe('an import of a table of devices', () => {
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const plant = prepared(() => onboard(mine));

  const given = (csv: string, { driverId, profileId } = plant) => ({ driverId, profileId, csv });
  const begin = async (csv: string, of = plant) =>
    z.string().parse(await mine.data(`${DEVICE}/import/run`, given(csv, of)));
  const read = async (importId: string) =>
    Import.parse(await mine.data(`${DEVICE}/import/get`, undefined, { importId }));
  const ended = (importId: string) =>
    eventually(
      () => read(importId),
      ({ status }) => status !== 'RUNNING',
    );
  const named = async (deviceName: string) =>
    Records.parse(await mine.data(`${DEVICE}/list`, { deviceName })).records;
  const reportOf = async (importId: string) =>
    (
      await fetch(`${world.base}${DEVICE}/import/report?import_id=${importId}`, {
        headers: mine.headers,
      })
    ).text();

  it('adds and changes devices with their configs, group and labels, and says what it refused', async () => {
    const [groupName, labelName] = [fresh('hall'), fresh('tag')];
    await add(mine, 'group', { groupName, groupTypeFlag: 'DEVICE' });
    await add(mine, 'label', { labelName, entityTypeFlag: 'DEVICE' });
    const [one, two, old] = [fresh('one'), fresh('two'), fresh('old')];
    const { driverId, profileId } = plant;
    const id = await add(mine, 'device', { deviceName: old, driverId, profileId });
    const table = [
      'deviceName,remark,enableFlag,groupName,labelNames,host,port',
      `${one},first,DISABLE,${groupName},${labelName},h1,1`,
      `${two},,,,,,`,
      `${old},changed,,${groupName},${labelName},h2,`,
      `${fresh('bad')},,,,,,x`,
    ].join('\n');
    const importId = await begin(table);
    expect(await ended(importId)).toMatchObject({
      status: 'DONE',
      total: 4,
      done: 4,
      added: 2,
      changed: 1,
      unchanged: 0,
      refused: 1,
      refusals: [{ row: 5, column: 'port', reason: 'The value of port must be a INT' }],
    });
    expect(await reportOf(importId)).toMatch(
      /^row,deviceName,column,reason\r\n5,bad[^,]*,port,The value of port must be a INT\r\n$/,
    );
    expect(await named(one)).toMatchObject([{ remark: 'first', enableFlag: 'DISABLE' }]);
    expect(await named(old)).toMatchObject([{ id, remark: 'changed', version: 2 }]);
    const again = await mine.data(`${DEVICE}/import/preview`, given(table));
    expect(again).toMatchObject({ add: 0, change: 0, unchanged: 3, refused: 1 });
  });

  it('is in the change log as the person that began it', async () => {
    const name = fresh('logged');
    await ended(await begin(`deviceName\n${name}`));
    const [device] = await named(name);
    const changes = await mine.data('/api/v3/data/change/list', {
      deviceId: device?.id,
      limit: 5,
    });
    expect(JSON.stringify(changes)).toContain(name);
    expect(device).toMatchObject({ creatorName: 'admin', creatorId: mine.principalId });
  });

  it('refuses the row of an identity that is taken, and keeps the others of its slice', async () => {
    const found = await mine.data('/api/v3/manager/driver/list', { driverCode: 'Lwm2mDriver' });
    const driverId = Id.parse(Records.parse(found).records[0]?.id);
    const other = await world.tenant('claims');
    const theirs = Records.parse(
      await other.data('/api/v3/manager/driver/list', { driverCode: 'Lwm2mDriver' }),
    ).records[0];
    const endpoint = fresh('taken');
    const profile = await add(other, 'profile', { profileName: fresh('profile') });
    await other.data(`${DEVICE}/import`, {
      driverId: theirs?.id,
      profileId: profile,
      csv: `deviceName,endpoint\n${fresh('theirs')},${endpoint}`,
    });
    const [one, two] = [fresh('kept'), fresh('refused')];
    const importId = await begin(`deviceName,endpoint\n${two},${endpoint}\n${one},${one}`, {
      ...plant,
      driverId,
    });
    expect(await ended(importId)).toMatchObject({
      added: 1,
      refused: 1,
      refusals: [{ row: 2, deviceName: two, reason: /already taken/ }].map((refusal) => ({
        ...refusal,
        reason: expect.stringMatching(refusal.reason),
      })),
    });
    expect(await named(one)).toHaveLength(1);
    expect(await named(two)).toEqual([]);
  });

  it('409: runs alone in its tenant; a cancelled one leaves its other rows', async () => {
    const rows = (name: string) => Array.from({ length: 20_000 }, (_, index) => `${name}-${index}`);
    const name = fresh('many');
    const query = new URLSearchParams({
      driver_id: plant.driverId,
      profile_id: plant.profileId,
    }).toString();
    const answer = await fetch(`${world.base}${DEVICE}/import/run?${query}`, {
      method: 'POST',
      headers: { ...mine.headers, 'content-type': 'text/csv' },
      body: `deviceName\n${rows(name).join('\n')}`,
    });
    const importId = z.looseObject({ data: z.string() }).parse(await answer.json()).data;
    const second = await mine.post(`${DEVICE}/import/run`, given(`deviceName\n${fresh('late')}`));
    expect(second).toMatchObject({
      status: 409,
      body: { message: 'Another import of devices is running' },
    });
    await mine.data(`${DEVICE}/import/cancel`, { importId });
    const { status, done } = await read(importId);
    expect(status).toBe('CANCELLED');
    expect(done).toBeLessThan(20_000);
    const page = await mine.data(`${DEVICE}/list`, { deviceName: name });
    expect(z.looseObject({ total: z.number() }).parse(page).total).toBe(done);
    const list = z.array(Import).parse(await mine.data(`${DEVICE}/import/list`, {}));
    expect(list[0]).toMatchObject({ importId, status: 'CANCELLED' });
  });

  it("404: to another tenant's person", async () => {
    const importId = await begin(`deviceName\n${fresh('own')}`);
    await ended(importId);
    const other = await world.tenant('stranger');
    const answers = await Promise.all([
      other.get(`${DEVICE}/import/get`, { importId }),
      other.get(`${DEVICE}/import/report`, { importId }),
      other.post(`${DEVICE}/import/cancel`, { importId }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await other.data(`${DEVICE}/import/list`, {})).toEqual([]);
  });
});

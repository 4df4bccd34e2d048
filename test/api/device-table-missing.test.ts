import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { add, onboard } from '../support/devices/plant.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import { login } from '../support/people/session.ts';
import { Records } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { until } from '../support/world/until.ts';

const MANAGER = '/api/v3/manager';
const Envelope = z.object({ code: z.string(), message: z.string(), data: z.unknown().optional() });
type Way = 'preview' | 'run';

describe('groups and labels that a table names and that do not exist', () => {
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const plant = prepared(() => onboard(mine));

  const send = async (way: Way, csv: string, missing: string, headers = mine.headers) => {
    const { driverId, profileId } = plant;
    const query = new URLSearchParams({ driverId, profileId, missing });
    const response = await fetch(
      `${world.base}${MANAGER}/device/import/${way}?${query.toString()}`,
      {
        method: 'POST',
        headers: { ...headers, 'content-type': 'text/csv; charset=utf-8' },
        body: csv,
      },
    );
    return { status: response.status, ...Envelope.parse(await response.json()) };
  };
  const named = async (noun: 'group' | 'label', name: string) =>
    Records.parse(await mine.data(`${MANAGER}/${noun}/list`, { [`${noun}Name`]: name })).records;

  it('are named by the preview, which refuses their rows unless they are to be made, and writes nothing', async () => {
    const [line, tag, known] = [fresh('Line'), fresh('rented'), fresh('spare')];
    await add(mine, 'label', { labelName: known, entityTypeFlag: 'DEVICE' });
    const rows = [1, 2, 3].map(() => `${fresh('boiler')},${line},${known}; ${tag}`);
    const csv = ['deviceName,groupName,labelNames', ...rows].join('\n');
    const missing = { groups: [line], labels: [tag] };
    expect((await send('preview', csv, 'refuse')).data).toMatchObject({ refused: 3, missing });
    expect((await send('preview', csv, 'make')).data).toMatchObject({
      add: 3,
      refused: 0,
      missing,
    });
    expect(await named('group', line)).toEqual([]);
  });

  it('are made once with an import that is to make them, and its devices are in them', async () => {
    const [line, tag] = [fresh('Line'), fresh('rented')];
    const names = Array.from({ length: 60 }, () => fresh('boiler'));
    const rows = names.map((name) => `${name},${line},${tag}`);
    const csv = ['deviceName,groupName,labelNames', ...rows].join('\n');
    const importId = z.string().parse((await send('run', csv, 'make')).data);
    await until(async () => {
      const state = await mine.data(`${MANAGER}/device/import/get`, undefined, { importId });
      expect(state).toMatchObject({ status: 'DONE' });
    });
    expect(await named('group', line)).toHaveLength(1);
    const [group] = await named('group', line);
    const [label] = await named('label', tag);
    const within = { groupId: group?.id, labelId: label?.id, page: { current: 1, size: 1 } };
    expect(await mine.data(`${MANAGER}/device/list`, within)).toMatchObject({ total: 60 });
  });

  it('are refused where the text is no name, and 422 where they are too many to be meant', async () => {
    const odd = `deviceName,groupName\n${fresh('boiler')},!!`;
    expect((await send('preview', odd, 'make')).data).toMatchObject({ refused: 1 });
    const many = Array.from({ length: 101 }, () => `${fresh('boiler')},${fresh('group')}`);
    const csv = ['deviceName,groupName', ...many].join('\n');
    expect(await send('preview', csv, 'refuse')).toMatchObject({ status: 200 });
    for (const way of ['preview', 'run'] as const)
      expect(await send(way, csv, 'make')).toMatchObject({ status: 422 });
  });

  it('403 for a person that may not make them', async () => {
    const { name } = await worker(mine, [
      ...['list', 'add', 'update'].map((verb) => `svc-center-manager:device:${verb}`),
      ...['add', 'update'].map((verb) => `svc-center-manager:group_bind:${verb}`),
    ]);
    const { headers } = await login(world.base, 'default', name, PASSWORD);
    const csv = `deviceName,groupName\n${fresh('boiler')},${fresh('group')}`;
    expect(await send('preview', csv, 'refuse', headers)).toMatchObject({ status: 200 });
    for (const way of ['preview', 'run'] as const)
      expect(await send(way, csv, 'make', headers)).toMatchObject({ status: 403 });
  });
});

import { describe, expect, it } from 'vitest';

import { NotFound } from '../../src/kernel/errors.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, Page, toolNamed } from './agent.ts';

const world = startedWorld();
const ours = prepared(() => onboard(world.admin, 'ours'));
const theirs = prepared(async () => onboard(await world.tenant('other'), 'theirs'));

const call = (name: string, input: unknown) =>
  toolNamed(name).run(world.app, agentIn(world.admin), input);

/** The classes whose tools look one thing up and search many, all in the same way. */
describe.each([
  { noun: 'Device', id: 'deviceId', text: 'deviceName', name: 'ours device' },
  { noun: 'Driver', id: 'driverId', text: 'driverName', name: 'ours driver' },
  { noun: 'Profile', id: 'profileId', text: 'profileName', name: 'ours profile' },
  { noun: 'Point', id: 'pointId', text: 'pointName', name: 'ours set-point' },
] as const)('the tools of a $noun', ({ noun, id, text, name }) => {
  const lookup = `lookup${noun}ById`;
  const search = `search${noun}s`;

  it(`gives the ${noun}`, async () => {
    const found = await call(lookup, { [id]: ours[id] });
    expect(found).toMatchObject({ [id]: ours[id], [text]: name, enabled: true });
  });

  it('answers for a foreign id exactly as for a missing one', async () => {
    for (const given of [theirs[id], '999999999']) {
      await expect(call(lookup, { [id]: given })).rejects.toThrow(
        new NotFound(noun, `${search} lists what there is`),
      );
    }
  });

  it.each(['', '0', ' - ', '9223372036854775808', null, {}, 1e300, 1.5])(
    'refuses %j as an id or name',
    async (given) => {
      await expect(call(lookup, { [id]: given })).rejects.toThrow(new RegExp(id));
    },
  );

  it.each(['-1', '1.5', 'x', 'tenant 1'])('finds nothing that is called %j', async (given) => {
    await expect(call(lookup, { [id]: given })).rejects.toThrow(NotFound);
  });

  it('finds by part of the name, and only in the own tenant', async () => {
    const found = await call(search, { [text]: 'ours' });
    expect(found).toMatchObject({ total: 1, returned: 1, nextCursor: null });
    expect(found['records']).toEqual([expect.objectContaining({ [id]: ours[id] })]);
    expect(await call(search, { [text]: 'theirs' })).toMatchObject({ total: 0 });
  });

  it('takes % and _ in a name as they are', async () => {
    expect(await call(search, { [text]: '%' })).toMatchObject({ total: 0 });
    expect(await call(search, { [text]: 'our_' })).toMatchObject({ total: 0 });
  });

  it('hands out page after page', async () => {
    await onboard(world.admin, `second${noun}`);
    await onboard(world.admin, `third${noun}`);
    const seen: unknown[] = [];
    let cursor: string | null = null;
    do {
      const page = Page.parse(await call(search, { limit: 2, ...(cursor ? { cursor } : {}) }));
      seen.push(...page.records.map((record) => record[id]));
      cursor = page.nextCursor;
      expect(page.total).toBeGreaterThanOrEqual(3);
    } while (cursor);
    expect(seen.length).toBeGreaterThanOrEqual(3);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it.each([
    { limit: 101 },
    { limit: 0 },
    { maxTokens: 99 },
    { cursor: 'x' },
    { cursor: '10.999' },
    { [text]: 'a\0' },
    { tenantId: '1' },
  ])('refuses %j', async (input) => {
    await expect(call(search, input)).rejects.toThrow(/Too|must|Invalid|Unrecognized/);
  });
});

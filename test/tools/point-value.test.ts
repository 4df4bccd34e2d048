import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { NotFound, Unprocessable } from '../../src/kernel/errors.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, onboardVirtual, report, type Site, toolNamed } from './agent.ts';

const MAX_ANSWER_TOKENS = 1500;
const MAX_PROPOSAL_TOKENS = 300;
/** Another write for the point, as field and as note, and that the point has the value already. */
const CONFLICT_TOKENS = 120;

const world = startedWorld();
const site = prepared(() => onboard(world.admin, 'site'));
const theirs = prepared(async () => onboard(await world.tenant('other'), 'theirs'));

const call = (name: string, input: unknown) =>
  toolNamed(name).run(world.app, agentIn(world.admin), input);

const NAMES = [
  'getLatestPointValue',
  'getPointValueHistory',
  'readPointValue',
  'writePointValue',
] as const;

describe.each(NAMES)('%s', (name) => {
  const value = name === 'writePointValue' ? { value: '21' } : {};

  it('answers for a foreign device or point exactly as for a missing one', async () => {
    const missing = '999999999';
    for (const deviceId of [theirs.deviceId, missing]) {
      const answer = call(name, { deviceId, pointId: site.pointId, ...value });
      await expect(answer).rejects.toThrow(
        new NotFound('Device', 'searchDevices lists what there is'),
      );
    }
    for (const pointId of [theirs.pointId, missing]) {
      const answer = call(name, { deviceId: site.deviceId, pointId, ...value });
      await expect(answer).rejects.toThrow(
        new NotFound('Point', 'searchPoints lists what there is'),
      );
    }
  });
});

describe('getLatestPointValue', () => {
  it('says null, not an error, while no value is stored', async () => {
    const fresh = await onboard(world.admin, 'fresh');
    expect(await call('getLatestPointValue', idsOf(fresh))).toMatchObject({
      deviceName: 'fresh device',
      pointName: 'fresh set-point',
      unit: '°C',
      value: null,
      quality: null,
      createTime: null,
      ageS: null,
      stale: null,
    });
  });

  it('gives the newest value with its age', async () => {
    await report(world, world.admin, site, [18, 19.5]);
    world.clock.shift(5000);
    const latest = await call('getLatestPointValue', idsOf(site));
    expect(latest).toMatchObject({ value: '19.5', quality: 'GOOD' });
    expect(latest['ageS']).toBeGreaterThanOrEqual(5);
    expect(latest['ageS']).toBeLessThan(60);
  });
});

describe('getPointValueHistory', () => {
  it('digests a window: values outside do not count', async () => {
    const measured = await onboard(world.admin, 'measured');
    await report(world, world.admin, measured, [10, 20, 30, 12], 60_000);
    const digest = await call('getPointValueHistory', { ...idsOf(measured), hours: 1 });
    expect(digest).toMatchObject({
      count: 4,
      first: { value: '10' },
      last: { value: '12' },
      min: 10,
      max: 30,
      mean: 20,
      samples: [],
    });
    world.clock.shift(57.5 * 60_000);
    const later = await call('getPointValueHistory', { ...idsOf(measured), hours: 1 });
    expect(later).toMatchObject({ count: 3, first: { value: '20' } });
  });

  it('picks samples evenly, oldest first, and stays within the budget of an answer', async () => {
    const long = await onboard(world.admin, 'long');
    await report(
      world,
      world.admin,
      long,
      Array.from({ length: 1000 }, (_, index) => index),
      1000,
    );
    const digest = await call('getPointValueHistory', { ...idsOf(long), maxSamples: 50 });
    const samples = z.array(z.object({ value: z.string() })).parse(digest['samples']);
    expect(samples).toHaveLength(50);
    const values = samples.map(({ value }) => Number(value));
    expect(values).toEqual(values.toSorted((one, other) => one - other));
    expect([values[0], values.at(-1)]).toEqual([0, 999]);
    expect(countTokens(JSON.stringify(digest))).toBeLessThanOrEqual(MAX_ANSWER_TOKENS);
  });

  it('says that there is nothing in an empty window', async () => {
    const empty = await onboard(world.admin, 'empty');
    expect(await call('getPointValueHistory', idsOf(empty))).toMatchObject({
      count: 0,
      first: null,
      last: null,
      min: null,
      max: null,
      mean: null,
      samples: [],
    });
  });

  it.each([
    { hours: 0 },
    { hours: 745 },
    { hours: Number.NaN },
    { maxSamples: 51 },
    { maxSamples: 1.5 },
  ])('refuses %j', async (window) => {
    await expect(call('getPointValueHistory', { ...idsOf(site), ...window })).rejects.toThrow(
      /hours|rows/,
    );
  });
});

describe('readPointValue', () => {
  it('asks the device and gives what it answered', async () => {
    const virtual = await onboardVirtual(world, 'virtual');
    const answer = await call('readPointValue', idsOf(virtual));
    expect(answer).toMatchObject({ status: 'SUCCESS', value: '20', errorCode: '' });
    expect(answer['commandId']).toMatch(/^[\da-f-]{36}$/);
  });

  it('does not take a device nobody drives for one that answered', async () => {
    expect(await call('readPointValue', idsOf(site))).toMatchObject({
      status: 'FAILED',
      value: null,
      errorCode: 'DRIVER_OFFLINE',
    });
  });
});

describe('writePointValue', () => {
  it('proposes and writes nothing', async () => {
    const answer = await call('writePointValue', { ...idsOf(site), value: 21 });
    expect(answer).toMatchObject({ pendingConfirmation: true });
    expect(answer['say']).toContain('Set “site set-point” of “site device” to 21 °C');
    expect(answer['reviewUrl']).toBe(
      `${world.app.config.baseUrl}/console/review/${String(answer['actionId'])}`,
    );
    const commands = await call('searchCommands', { deviceId: site.deviceId });
    expect(JSON.stringify(commands)).not.toContain('WRITE');
  });

  it.each([
    ['over the limit', 31],
    ['under the limit', '4.9'],
    ['no number', 'warm'],
    ['no number either', true],
    ['not finite', '1e999'],
  ])('refuses a value that is %s, at once and with the reason', async (_what, value) => {
    const answer = call('writePointValue', { ...idsOf(site), value });
    await expect(answer).rejects.toThrow(Unprocessable);
  });

  it('says what the card says, in fields, without an empty one', async () => {
    const fresh = await onboard(world.admin, 'carded');
    const first = await call('writePointValue', { ...idsOf(fresh), value: 20 });
    expect(Object.keys(first)).toEqual(
      ['pendingConfirmation', 'actionId', 'status', 'deviceId', 'deviceName'].concat(
        ['deviceStatus', 'pointId', 'pointName', 'unit', 'proposedValue', 'limits', 'expiresAt'],
        ['done', 'say', 'reviewUrl'],
      ),
    );
    expect(countTokens(JSON.stringify(first))).toBeLessThanOrEqual(MAX_PROPOSAL_TOKENS);
    await report(world, world.admin, fresh, [21]);
    const asked = { ...idsOf(fresh), value: 21, reason: 'as planned', idempotencyKey: 'one' };
    const answer = await call('writePointValue', asked);
    expect(answer).toMatchObject({
      deviceName: 'carded device',
      pointName: 'carded set-point',
      unit: '°C',
      currentValue: '21',
      currentAgeS: expect.any(Number),
      proposedValue: '21',
      limits: { min: 5, max: 30 },
      noChange: true,
      conflicts: [{ kind: 'PROPOSED', value: '20', by: 'agent' }],
    });
    expect(await call('writePointValue', asked)).toMatchObject({
      actionId: answer['actionId'],
      repeated: true,
    });
    const tokens = countTokens(JSON.stringify(answer));
    expect(tokens).toBeLessThanOrEqual(MAX_PROPOSAL_TOKENS + CONFLICT_TOKENS);
  });

  it.each([{ reason: 'x'.repeat(201) }, { idempotencyKey: 'x'.repeat(65) }])(
    'refuses %j',
    async (more) => {
      const answer = call('writePointValue', { ...idsOf(site), value: 21, ...more });
      await expect(answer).rejects.toThrow(z.ZodError);
    },
  );

  it('takes no word that would confirm', async () => {
    const answer = call('writePointValue', { ...idsOf(site), value: 21, confirm: true });
    await expect(answer).rejects.toThrow(/Unrecognized key/);
  });
});

const idsOf = ({ deviceId, pointId }: Site) => ({ deviceId, pointId });

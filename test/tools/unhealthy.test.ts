import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { scanOutages } from '../../src/alarm/watch/outage.ts';
import { addTo } from '../support/devices/notify.ts';
import { watched } from '../support/devices/watched.ts';
import type { Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, report, toolNamed } from './agent.ts';

const MANAGER = '/api/v3/manager';
const LEASE_MS = 45_000;

const Answer = z.looseObject({
  worst: z.array(z.object({ kind: z.string(), what: z.string(), id: z.string() })),
  counts: z.record(z.string(), z.number()),
  more: z.boolean().optional(),
});

const world = startedWorld();

const unhealthy = async (session: Session, caller = agentIn(session)) => {
  const answer = await toolNamed('getUnhealthy').run(world.app, caller, {});
  expect(countTokens(JSON.stringify(answer))).toBeLessThanOrEqual(1_500);
  return Answer.parse(JSON.parse(JSON.stringify(answer)));
};

/** The driver of a site says that it serves these devices; then nothing is heard of it. */
async function lose(session: Session, driverCode: string, deviceIds: string[]): Promise<void> {
  const { tenantId } = session;
  const devices = deviceIds.map((deviceId) => ({
    tenantId,
    deviceId,
    status: 'ONLINE' as const,
    description: '',
  }));
  const at = world.clock.now();
  const state = { driverCode, node: 'field', at, leaseMs: LEASE_MS, devices };
  await world.bus.handled('svc.e.state', state, driverCode);
  world.clock.shift(3 * LEASE_MS);
  await scanOutages(world.app);
}

describe('what is unhealthy', () => {
  it('is ranked in one answer: an outage with what it explains, alarms by level, what is unconfirmed', async () => {
    const mine = await world.tenant('unhealthy');
    const minor = await watched(world, mine, 'minor', { severity: 'P3' });
    const urgent = await watched(world, mine, 'urgent', { severity: 'P0' });
    const over = await watched(world, mine, 'over', { severity: 'P1' });
    await minor.measure(81);
    await urgent.measure(81);
    await over.measure(81, 20);
    const site = await onboard(mine, 'lost');
    const { profileId, driverId } = site;
    const ids = [site.deviceId];
    for (let at = 0; at < 7; at += 1) {
      const given = { deviceName: `lost ${at}`, driverId, profileId };
      ids.push(z.string().parse(await mine.data(`${MANAGER}/device/add`, given)));
    }
    await lose(mine, site.driverCode, ids);
    const { worst, counts, more } = await unhealthy(mine);
    expect(worst.slice(0, 4)).toMatchObject([
      { kind: 'alarm', what: expect.stringMatching(/^P0 fires .*“urgent too hot”/) },
      { kind: 'alarm', what: expect.stringMatching(/^P1 fires .*; explains 8 more$/) },
      { kind: 'unconfirmed', what: expect.stringContaining('“over too hot”') },
      { kind: 'device', what: expect.stringMatching(/is offline since/) },
    ]);
    expect(worst.map(({ what }) => what)).toContainEqual(expect.stringMatching(/^P3 fires/));
    expect(counts).toMatchObject({ firing: 11, causes: 3, offline: 8 });
    expect(more).toBe(true);
  });

  it('says which alarms doubt a sensor, behind the others of their level', async () => {
    const mine = await world.tenant('doubts');
    const site = await onboard(mine, 'sensor');
    const window = { mode: 'DELTA', duration: 'PT1H' };
    const rules: [string, object][] = [
      ['stuck', { condition: { field: 'value', operator: '<', threshold: 1 }, window }],
      ['hot', { condition: { field: 'value', operator: '>', threshold: 1 } }],
    ];
    for (const [ruleName, content] of rules)
      await addTo(mine, 'rule', {
        ruleName,
        alarmTargetTypeFlag: 'POINT',
        entityId: site.pointId,
        ruleExt: { content: { severity: 'P1', ...content } },
      });
    for (let at = 0; at < 3; at += 1) {
      world.clock.shift(1_000);
      await report(world, mine, site, [20]);
    }
    const { worst } = await unhealthy(mine);
    const said = worst.filter(({ kind }) => kind === 'alarm').map(({ what }) => what);
    expect(said[0]).toMatch(/“hot”[^;]*$/);
    expect(said).toContainEqual(expect.stringMatching(/“stuck” .*; the value does not move$/));
  });

  it('has no part that its reader may not read, and is empty where nothing is wrong', async () => {
    const mine = await world.tenant('healthy');
    const nothing = await unhealthy(mine);
    expect(nothing.worst.filter(({ kind }) => kind !== 'device')).toEqual([]);
    const few = { ...agentIn(mine), permissions: new Set(['svc-center-data:dashboard:list']) };
    expect(Object.keys((await unhealthy(mine, few)).counts)).toEqual([
      'firing',
      'causes',
      'channels',
    ]);
  });
});

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { watched } from '../support/devices/watched.ts';
import { actionsIn } from '../support/people/actions.ts';
import type { Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, onboardVirtual, report, toolNamed } from './agent.ts';

const world = startedWorld();

async function handover(session: Session, input: object = {}, caller = agentIn(session)) {
  const answer = await toolNamed('getHandover').run(world.app, caller, input);
  expect(countTokens(JSON.stringify(answer))).toBeLessThanOrEqual(1_500);
  return z.looseObject({}).parse(JSON.parse(JSON.stringify(answer)));
}

describe('getHandover', () => {
  it('says what fires, what is out, what changed and what waits, the most urgent first', async () => {
    const mine = await world.tenant('shift');
    await mine
      .data('/api/v3/auth/tenant/update', { id: mine.tenantId, timezone: 'Europe/Berlin' })
      .catch(() => {});
    const before = await watched(world, mine, 'before', { severity: 'P3' });
    await before.measure(81);
    world.clock.shift(9 * 3_600_000);
    const boiler = await watched(world, mine, 'boiler', { severity: 'P1' });
    await boiler.measure(81);
    const over = await watched(world, mine, 'over');
    await over.measure(81, 20);
    const card = await actionsIn(world, mine).proposeIn(boiler.site, '21');
    const found = await handover(mine);
    expect(found).toMatchObject({
      needsAttention: [
        { what: 'P1 fires: “boiler set-point” of “boiler device”', id: expect.any(String) },
        { what: 'P3 fires: “before set-point” of “before device”', id: expect.any(String) },
        { what: 'proposal waits: “boiler set-point” of “boiler device”' },
        { what: 'P2 unconfirmed: “over set-point” of “over device”', id: expect.any(String) },
      ],
      alarms: {
        firing: 2,
        recoveredUnconfirmed: 1,
        rows: [
          { state: 'FIRING', level: 'P1', what: '“boiler too hot” 81 °C (> 80 °C)' },
          { state: 'FIRING', level: 'P3' },
          { state: 'RECOVERED', device: 'over device' },
        ],
      },
      outages: { offline: 0, neverConnected: 3, devices: expect.any(Array) },
      silentPoints: 1,
      pending: [{ actionId: card.actionId, by: 'agent', leftS: expect.any(Number) }],
      unknownWrites: [],
    });
    const changes = z.array(z.looseObject({ what: z.string() })).parse(found['changes']);
    expect(changes).toContainEqual(expect.objectContaining({ what: 'rule “over too hot” added' }));
    expect(changes).not.toContainEqual(expect.objectContaining({ actionId: card.actionId }));
    world.clock.shift(60_000);
    const short = await handover(mine, { since: '0.001' });
    expect(JSON.stringify(short)).not.toContain('RECOVERED');
  });

  it('counts as silent what searchPointValues lists for the age at which values are stale', async () => {
    const mine = await world.tenant('silence');
    const update = (noun: string, given: object) =>
      mine.data(`/api/v3/manager/${noun}/update`, given);
    const [old, disabled, hidden, sink] = [
      await onboard(mine, 'old'),
      await onboard(mine, 'disabled'),
      await onboard(mine, 'hidden'),
      await onboard(mine, 'sink'),
    ];
    for (const site of [old, disabled, hidden]) await report(world, mine, site, [20]);
    await onboard(mine, 'never');
    await update('device', { id: disabled.deviceId, enableFlag: 'DISABLE' });
    await update('point', { id: hidden.pointId, enableFlag: 'DISABLE' });
    await update('point', { id: sink.pointId, rwFlag: 'WRITE_ONLY' });
    world.clock.shift(600_000);
    await report(world, mine, await onboard(mine, 'fresh'), [20]);
    // Three times the 30 s of a driver that declares nothing.
    const { rows, total } = await toolNamed('searchPointValues').run(world.app, agentIn(mine), {
      olderThanS: 90,
    });
    expect(
      z
        .array(z.array(z.unknown()))
        .parse(rows)
        .map(([device]) => device),
    ).toEqual(['never device', 'old device']);
    expect(await handover(mine)).toMatchObject({ silentPoints: total });
  });

  it('says first what was written, folds what one person did often, and counts what it leaves out', async () => {
    const mine = await world.tenant('changes');
    const { proposeIn, decide } = actionsIn(world, mine);
    const written = await onboardVirtual(world, 'written', mine);
    const { actionId, digest } = await proposeIn(written, '22');
    expect((await decide('confirm', actionId, { digest, wait_ms: 10_000 })).status).toBe(200);
    const rejected = await proposeIn(written, '23');
    await decide('reject', rejected.actionId);
    for (let index = 0; index < 9; index += 1)
      await mine.data('/api/v3/manager/profile/add', { profileName: `profile ${index}` });
    const found = await handover(mine);
    const changes = z.array(z.looseObject({ what: z.string() })).parse(found['changes']);
    expect(changes[0]).toMatchObject({
      what: 'write',
      to: '22',
      result: 'EXECUTED',
      by: expect.stringMatching(/“agent” proposed, “.+” confirmed/),
    });
    expect(changes).toContainEqual(expect.objectContaining({ what: '10 × profile added' }));
    expect(changes.filter(({ what }) => /^(?:propose|confirm|evidence)$/.test(what))).toEqual([]);
    expect(changes).toContainEqual(expect.objectContaining({ what: 'reject', to: '23' }));
    // One write, one rejection, and all that was configured.
    const shown = changes.reduce(
      (sum, { what }) => sum + Number(/^(\d+) ×/.exec(what)?.[1] ?? 1),
      0,
    );
    const more = z.number().default(0).parse(found['changesMore']);
    const log = await mine.data('/api/v3/data/change/list', { limit: 100 });
    const { records } = z
      .object({ records: z.array(z.looseObject({ kind: z.string(), operation: z.string() })) })
      .parse(log);
    const counted = records.filter(
      ({ kind, operation }) => kind !== 'decision' || operation === 'action:reject',
    );
    expect(shown + more).toBe(counted.length);
  });

  it('says an outage once, and of proposals that it lists only how many wait', async () => {
    const mine = await world.tenant('once');
    const [one, two] = [await watched(world, mine, 'one'), await watched(world, mine, 'two')];
    for (const { site } of [one, two]) await actionsIn(world, mine).proposeIn(site, '21');
    const { needsAttention, pending } = await handover(mine);
    expect(pending).toHaveLength(2);
    expect(needsAttention).toEqual([{ what: '2 proposals wait' }]);
  });

  it('fits whatever goes on, and leaves out what the caller may not read', async () => {
    const mine = await world.tenant('storm');
    for (let index = 0; index < 12; index += 1) {
      const { measure, site } = await watched(world, mine, `boiler-house-number-${index}`);
      await measure(81);
      if (index < 6) await actionsIn(world, mine).proposeIn(site, '21');
    }
    const found = await handover(mine);
    expect(found).toMatchObject({ alarms: { firing: 12, more: true }, pendingMore: true });
    const permissions = new Set(['svc-center-data:dashboard:list']);
    const narrow = await handover(mine, {}, { ...agentIn(mine), permissions });
    expect(Object.keys(narrow).toSorted()).toEqual(['alarms', 'needsAttention', 'now', 'since']);
  });
});

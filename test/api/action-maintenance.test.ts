import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { DATA } from '../support/devices/notify.ts';
import { add } from '../support/devices/plant.ts';
import { watched } from '../support/devices/watched.ts';
import { login, type Session } from '../support/people/session.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from '../tools/agent.ts';

const AGENTIC = '/api/v3/agentic/action';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const world = startedWorld();

const Action = z.looseObject({ status: z.string(), digest: z.string(), say: z.string() });
const Proposed = z.looseObject({ actionId: z.string(), say: z.string() });
const Plans = z.object({ records: z.array(z.looseObject({ id: z.string() })) });

const at = (ms: number): string => new Date(world.clock.now() + ms).toISOString();
const propose = async (session: Session, given: object) => {
  const input = { maintenanceName: 'new belt', end: at(2 * HOUR), ...given };
  return Proposed.parse(
    await toolNamed('proposeMaintenance').run(world.app, agentIn(session), input),
  );
};
const look = async (session: Session, actionId: string) =>
  Action.parse(await session.data(`${AGENTIC}/get`, undefined, { actionId }));
const confirm = async (session: Session, actionId: string) => {
  const { digest } = await look(session, actionId);
  return session.post(`${AGENTIC}/confirm`, { actionId, digest });
};
const plansOf = async (session: Session) =>
  Plans.parse(await session.data(`${DATA}/maintenance/list`, {})).records;

/** A group of the name `hall` with one device that is too hot. */
async function hall(session: Session) {
  const kiln = await watched(world, session, 'kiln');
  const groupId = await add(session, 'group', { groupName: 'hall', groupTypeFlag: 'DEVICE' });
  const join = (entityId: string) =>
    add(session, 'group_bind', { groupId, entityTypeFlag: 'DEVICE', entityId });
  await join(kiln.site.deviceId);
  await kiln.measure(81);
  return { kiln, groupId, join };
}

describe('a maintenance that an agent proposes', () => {
  it('says what it would cover, and is planned once, by the person that confirmed it', async () => {
    const mine = await world.tenant('planned');
    const { groupId } = await hall(mine);
    const times = { begin: at(HOUR), end: at(2 * HOUR) };
    const given = { groupIds: ['hall'], reason: 'The belt is worn.', ...times };
    const { actionId, ...said } = await propose(mine, given);
    expect(said).toMatchObject({ pendingConfirmation: true });
    expect(said.say).toMatch(
      /^Plan the maintenance “new belt” from .+ to .+, of “hall”: no notification of alarms there until its end\. It covers 1 device, where 1 alarm fired when it was proposed\. Not executed/,
    );
    expect(await propose(mine, given)).toMatchObject({ actionId, repeated: true });
    expect(await look(mine, actionId)).toMatchObject({
      kind: 'maintenance',
      reason: 'The belt is worn.',
      alarm: { scope: 'GROUP', entityIds: [groupId], places: ['hall'], mode: 'MUTE', devices: 1 },
    });
    expect((await mine.post(`${AGENTIC}/confirm`, { actionId })).status).toBe(412);
    expect(await plansOf(mine)).toEqual([]);
    expect((await confirm(mine, actionId)).status).toBe(200);
    expect((await confirm(mine, actionId)).status).toBe(200);
    const [stored, ...others] = await plansOf(mine);
    expect(others).toEqual([]);
    expect(stored).toMatchObject({
      maintenanceName: 'new belt',
      scopeFlag: 'GROUP',
      entityIds: [groupId],
      owner: 'planned-admin',
      reason: 'The belt is worn.',
      creatorName: 'planned-admin',
    });
    expect(await look(mine, actionId)).toMatchObject({
      status: 'EXECUTED',
      result: { maintenanceId: stored?.id },
      say: expect.stringMatching(
        new RegExp(
          `^The maintenance “new belt” was planned until .+ \\(id ${stored?.id}\\), confirmed by “planned-admin”\\.$`,
        ),
      ),
    });
  });

  it('begins when it is confirmed, of the whole plant, and never before', async () => {
    const mine = await world.tenant('at-once');
    await hall(mine);
    const now = await propose(mine, { plant: true, mode: 'MARK' });
    expect(now.say).toContain('of the whole plant: messages of alarms there say that');
    const past = await propose(mine, { plant: true, begin: at(60_000) });
    world.clock.shift(120_000);
    const since = world.clock.now();
    expect((await confirm(mine, now.actionId)).status).toBe(200);
    expect((await confirm(mine, past.actionId)).status).toBe(200);
    const begins = (await plansOf(mine)).map(({ beginTime }) => Date.parse(String(beginTime)));
    expect(begins).toHaveLength(2);
    for (const begin of begins) expect(begin).toBeGreaterThanOrEqual(since);
  });

  it('is looked at again where it covers more, or something of another name', async () => {
    const mine = await world.tenant('grown');
    const { groupId, join } = await hall(mine);
    const { actionId } = await propose(mine, { groupIds: ['hall'] });
    const oven = await watched(world, mine, 'oven');
    await join(oven.site.deviceId);
    await oven.measure(81);
    const wider = await confirm(mine, actionId);
    expect(wider.status).toBe(412);
    expect(wider.body.message).toContain(
      'it covers 2 devices, not 1; 2 alarms would be muted, not 1',
    );
    expect(await plansOf(mine)).toEqual([]);
    world.clock.shift(1_000);
    await mine.data('/api/v3/manager/group/update', { id: groupId, groupName: 'shed' });
    const renamed = await confirm(mine, actionId);
    expect(renamed.status).toBe(412);
    expect(renamed.body.message).toContain('the names of what it is for');
    await oven.measure(20);
    expect((await confirm(mine, actionId)).status).toBe(200);
    expect(await plansOf(mine)).toHaveLength(1);
  });

  it('is refused of places of another tenant, of none, of several kinds and of a time that is over', async () => {
    const mine = await world.tenant('refused');
    const { groupId, kiln } = await hall(mine);
    const other = await world.tenant('refused-other');
    for (const foreign of [{ groupIds: [groupId] }, { deviceIds: [kiln.site.deviceId] }]) {
      await expect(propose(other, foreign)).rejects.toThrow('does not exist');
      const body = { maintenanceName: 'x', endTime: at(HOUR) };
      const [scopeFlag, entityIds] =
        'groupIds' in foreign ? ['GROUP', foreign.groupIds] : ['DEVICE', foreign.deviceIds];
      const asked = { ...body, scopeFlag, entityIds };
      expect((await other.post(`${AGENTIC}/propose_maintenance`, asked)).status).toBe(404);
      expect((await mine.post(`${AGENTIC}/propose_maintenance`, asked)).status).toBe(200);
    }
    await expect(propose(mine, {})).rejects.toThrow('Give one of');
    await expect(propose(mine, { plant: true, groupIds: ['hall'] })).rejects.toThrow('Give one of');
    await expect(propose(mine, { plant: true, end: at(-HOUR) })).rejects.toThrow('in the future');
    await expect(propose(mine, { plant: true, end: at(91 * DAY) })).rejects.toThrow('90 days');
    await expect(propose(mine, { plant: true, end: 'tonight' })).rejects.toThrow('must be a time');
  });

  // Last: it moves the clock past every login.
  it('is planned neither after a rejection, nor withdrawn, nor expired, nor once its end is over', async () => {
    const mine = await world.tenant('unplanned');
    const enter = () =>
      login(world.base, 'unplanned', 'unplanned-admin', testEnvironment.SVC_ADMIN_PASSWORD);
    await hall(mine);
    const rejected = await propose(mine, { deviceIds: ['kiln'], maintenanceName: 'a' });
    const withdrawn = await propose(mine, { deviceIds: ['kiln'], maintenanceName: 'b' });
    const over = await propose(mine, { deviceIds: ['kiln'], maintenanceName: 'c' });
    const late = await propose(mine, {
      deviceIds: ['kiln'],
      maintenanceName: 'd',
      end: at(2 * DAY),
    });
    await mine.data(`${AGENTIC}/reject`, { actionId: rejected.actionId, reason: 'Not now' });
    await toolNamed('withdrawAction').run(world.app, agentIn(mine), {
      actionId: withdrawn.actionId,
    });
    expect((await confirm(mine, rejected.actionId)).status).toBe(409);
    expect((await confirm(mine, withdrawn.actionId)).status).toBe(409);
    expect((await look(mine, withdrawn.actionId)).say).toMatch(
      /^The maintenance “b” was not planned: withdrawn .+ Nothing was changed\.$/,
    );
    world.clock.shift(3 * HOUR);
    const again = await enter();
    const { status, body } = await confirm(again, over.actionId);
    expect(status).toBe(412);
    expect(body.message).toContain('endTime has to be in the future');
    world.clock.shift(DAY);
    const nextDay = await enter();
    expect((await confirm(nextDay, late.actionId)).status).toBe(410);
    expect((await look(nextDay, late.actionId)).status).toBe('EXPIRED');
    expect(await plansOf(nextDay)).toEqual([]);
  });
});

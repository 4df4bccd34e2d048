import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { ACTION_STATUS } from '../../src/agentic/action/kind/status.ts';
import { endRollouts } from '../../src/agentic/decision/end-rollouts.ts';
import { notifyAllOutcomes } from '../../src/agentic/decision/notice.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { nameOf } from '../../src/kernel/input/flag.ts';
import { takeReport } from '../../src/manager/firmware/driver-word.ts';
import { moveRollouts } from '../../src/manager/firmware/wave.ts';
import { firmwareIn } from '../support/lwm2m/firmware-actions.ts';
import { ACTIONS } from '../support/people/actions.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

describe('a roll-out whose end was not certain', () => {
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const fw = prepared(() => firmwareIn(world));

  type End = 'VERIFIED' | 'FAILED' | 'MISMATCH' | 'UNKNOWN';
  it.each<{ first: End[]; later: [number, End, string][] }>([
    { first: ['UNKNOWN'], later: [[0, 'FAILED', 'FAILED']] },
    {
      first: ['UNKNOWN', 'UNKNOWN'],
      later: [
        [0, 'VERIFIED', 'UNKNOWN'],
        [1, 'VERIFIED', 'EXECUTED'],
      ],
    },
    {
      first: ['UNKNOWN', 'MISMATCH'],
      later: [
        [1, 'VERIFIED', 'UNKNOWN'],
        [0, 'FAILED', 'FAILED'],
      ],
    },
    { first: ['UNKNOWN'], later: [[0, 'VERIFIED', 'EXECUTED']] },
    { first: ['MISMATCH'], later: [[0, 'VERIFIED', 'EXECUTED']] },
    {
      first: ['UNKNOWN', 'MISMATCH'],
      later: [
        [1, 'VERIFIED', 'UNKNOWN'],
        [0, 'VERIFIED', 'EXECUTED'],
      ],
    },
    { first: ['UNKNOWN', 'MISMATCH'], later: [[0, 'FAILED', 'FAILED']] },
    { first: ['FAILED', 'UNKNOWN'], later: [[1, 'VERIFIED', 'FAILED']] },
  ])('is corrected by what its devices prove: $first, then $later', async ({ first, later }) => {
    const devices = [];
    for (const _ of first) devices.push(await fw.device());
    const deviceIds = devices.map(({ deviceId }) => deviceId);
    const { id: packageId } = await fw.package();
    const action = await fw.proposed({ packageId, deviceIds, waveSize: 2 });
    expect((await fw.confirm(action.actionId, action.digest)).status).toBe(200);
    await moveRollouts(world.app);
    const updates = await updatesOf(action.actionId);
    const report = (index: number, end: End) => {
      const update = updates[index];
      if (!update) throw new Error('there is no update');
      return takeReport(world.app, reportOf({ ...update, tenantId: mine.tenantId, end }));
    };
    for (const [index, end] of first.entries()) await report(index, end);
    // The sweeper of the platform may have it in hand, and is then passed over.
    await eventually(
      async () => {
        await moveRollouts(world.app);
        return fw.look(action.actionId);
      },
      ({ status }) => status !== 'CONFIRMED',
    );
    const conversationId = await conversationOf(action.actionId);
    const statuses = new Set<string>();
    for (const [index, end, status] of later) {
      await endRollouts(world.app);
      await notifyAllOutcomes(world.app);
      statuses.add(await storedStatus(action.actionId));
      await report(index, end);
      // What is told and what is stored.
      const told = await fw.look(action.actionId);
      expect(told.status).toBe(status);
      if (status === 'EXECUTED') expect(told.say).not.toContain('It stopped');
      if (end === 'FAILED') expect(told.say).toContain('The device says: later');
      for (const asked of ['EXECUTED', 'MISMATCH', 'FAILED', 'UNKNOWN'])
        expect((await foundAs(asked)).includes(action.actionId), asked).toBe(asked === status);
      await endRollouts(world.app);
      expect(await storedStatus(action.actionId)).toBe(status);
      await notifyAllOutcomes(world.app);
      statuses.add(status);
    }
    expect(await receiptsIn(conversationId)).toEqual([...statuses]);
  });

  /** A conversation in which it is told, as if it had been proposed there. */
  async function conversationOf(actionId: string): Promise<string> {
    const conversationId = fresh('later');
    const { tenantId, principalId: userId } = mine;
    await inTenant(world.app.db, tenantId, async (q) => {
      await q.insertInto('svc_session').values({ conversationId, tenantId, userId }).execute();
      await q
        .updateTable('svc_action')
        .set({ conversationId, told: false })
        .where('tenantId', '=', tenantId)
        .where('actionId', '=', actionId)
        .execute();
    });
    return conversationId;
  }
  const foundAs = async (status: string) =>
    z
      .object({ actions: z.array(z.object({ actionId: z.string() })) })
      .parse(await mine.data(`${ACTIONS}/search`, { status }))
      .actions.map(({ actionId }) => actionId);
  const receiptsIn = async (conversationId: string) => {
    const query = { conversation_id: conversationId };
    const messages = await mine.data('/api/v3/agentic/message/list', undefined, query);
    return z
      .array(z.object({ contentExt: z.object({ receipt: z.object({ status: z.string() }) }) }))
      .parse(messages)
      .map(({ contentExt }) => contentExt.receipt.status);
  };

  const updatesOf = (actionId: string) =>
    inTenant(world.app.db, mine.tenantId, (q) =>
      q
        .selectFrom('svc_firmware_update as u')
        .innerJoin('svc_firmware_rollout as r', 'r.id', 'u.rolloutId')
        .select(['u.updateId', 'u.deviceId'])
        .where('r.tenantId', '=', mine.tenantId)
        .where('r.actionId', '=', actionId)
        .orderBy('u.position')
        .execute(),
    );
  const storedStatus = (actionId: string) =>
    inTenant(world.app.db, mine.tenantId, async (q) => {
      const { status } = await q
        .selectFrom('svc_action')
        .select('status')
        .where('tenantId', '=', mine.tenantId)
        .where('actionId', '=', actionId)
        .executeTakeFirstOrThrow();
      return nameOf(ACTION_STATUS, status);
    });
  const reportOf = (about: { updateId: string; deviceId: string; tenantId: string; end: End }) => ({
    ...about,
    driverCode: 'Lwm2mDriver',
    node: 'n1',
    phase: 'UPDATING' as const,
    versionBefore: '1.0.0',
    pushes: 1,
    executions: 1,
    answer: 'ACCEPTED' as const,
    session: 's',
    resultBefore: 0,
    sentBytes: 1,
    state: 0,
    result: about.end === 'FAILED' ? 8 : 1,
    version: null,
    message: about.end === 'FAILED' ? 'The device says: later' : 'Its time is over',
    at: world.app.clock.now(),
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { propose } from '../../src/agentic/action/action.ts';
import { kinds } from '../../src/agentic/action/kind/index.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { onboard } from '../support/devices/plant.ts';
import { firmwareAgent, firmwareIn } from '../support/lwm2m/firmware-actions.ts';
import { ACTIONS, actionsIn } from '../support/people/actions.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { approvalsIn, APPROVALS } from '../support/runs/approvals/approvals.ts';
import { type Credential, credentials } from '../support/runs/forged/credentials.ts';
import { startWorld, type World } from '../support/world/app.ts';

/** What one credential tries on a waiting action of another principal. */
type Waiting = { actionId: string; digest: string };

let world: World;
let all: Credential[];
let waiting: Record<string, Waiting>;
let approval: object;

beforeAll(async () => {
  world = await startWorld();
  const { admin, app } = world;
  const ours = approvalsIn(world, admin);
  const agent = await ours.agent();
  const plants = [await onboard(admin), await onboard(admin), await onboard(admin)];
  const [first, ...others] = plants.map(({ deviceId, target }) => ({
    deviceId,
    pointId: target,
    value: '21',
  }));
  if (!first) throw new Error('there is no plant');
  const fw = firmwareIn(world);
  const [device, pack] = [await fw.device(), await fw.package()];
  const { post } = await firmwareAgent(admin);
  waiting = {
    write: await propose(app, agent, first),
    plan: await propose(app, agent, { writes: others }),
    firmware: await fw.proposed({ packageId: pack.id, deviceIds: [device.deviceId] }, post),
  };
  await ours.turn(true);
  const wanted = ours.wanted(agent, first);
  approval = { ...wanted, digest: (await ours.shown(wanted)).digest };
  all = await credentials(world, await bearerFor(admin, { scope: 'svc:read svc:propose' }));
}, 120_000);
afterAll(() => world?.stop());

const decisions: Record<string, (waits: Waiting) => [string, object]> = {
  confirm: ({ actionId, digest }) => [`${ACTIONS}/confirm`, { actionId, digest }],
  'confirm without a digest': ({ actionId }) => [`${ACTIONS}/confirm`, { actionId }],
  reject: ({ actionId }) => [`${ACTIONS}/reject`, { actionId }],
  withdraw: ({ actionId }) => [`${ACTIONS}/withdraw`, { actionId }],
  'approve beforehand': () => [`${APPROVALS}/add`, approval],
};

const matrix = Object.keys(kinds).flatMap((kind) =>
  Object.keys(decisions).map((decision): [string, string] => [decision, kind]),
);

describe('no credential that an agent can hold', () => {
  it.each(matrix)('may %s: %s', async (decision, kind) => {
    const waits = waiting[kind];
    const made = decisions[decision];
    if (!waits || !made) throw new Error(`nothing of the kind ${kind} waits`);
    const passed: string[] = [];
    for (const { kind: credential, headers } of all) {
      const [path, body] = made(waits);
      for (const query of ['', `?token=${headers['authorization'] ?? 'x'}`]) {
        const response = await fetch(`${world.base}${path}${query}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(30_000),
        });
        await response.arrayBuffer();
        if (response.status < 400 || response.status >= 500)
          passed.push(`${credential}${query && ' in a query'}: ${response.status}`);
      }
    }
    expect(passed).toEqual([]);
    expect(await stateOf(waits.actionId)).toEqual({
      status: 'PENDING',
      digest: waits.digest,
      effects: 0,
      approvals: 0,
    });
  });
});

async function stateOf(actionId: string) {
  const { tenantId } = world.admin;
  const { status, digest } = await actionsIn(world, world.admin).actionOf(actionId);
  const effects = await inTenant(world.app.db, tenantId, async (q) => {
    const counts = await Promise.all(
      (['svc_point_command_history', 'svc_firmware_rollout'] as const).map((table) =>
        q
          .selectFrom(table)
          .select('actionId')
          .where('tenantId', '=', tenantId)
          .where('actionId', '=', actionId)
          .execute(),
      ),
    );
    return counts.flat().length;
  });
  const approvals = (await approvalsIn(world, world.admin).active()).length;
  return { status, digest, effects, approvals };
}

import { expect, it } from 'vitest';
import { z } from 'zod';

import { propose } from '../../src/agentic/propose/action.ts';
import { onboard } from '../support/devices/plant.ts';
import { ACTIONS } from '../support/people/actions.ts';
import { eventually } from '../support/world/eventually.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn } from '../tools/agent.ts';

const Shown = z.looseObject({
  wire: z.looseObject({ driver: z.string(), raw: z.string().nullable(), scaling: z.string() }),
});
const Latest = z.object({
  records: z.tuple([z.looseObject({ rawValue: z.string().nullable() })]),
});

const world = startedWorld();

it('a card says the raw value that the device then gets', async () => {
  const { admin } = world;
  const { deviceId, target: pointId } = await onboard(admin);
  await admin.data('/api/v3/manager/point/update', { id: pointId, baseValue: 1, multiple: 2 });
  const { actionId } = await propose(world.app, agentIn(admin), {
    deviceId,
    pointId,
    value: '21',
  });
  const { body } = await admin.get(`${ACTIONS}/get`, { action_id: actionId });
  const { wire } = Shown.parse(body.data);
  expect(wire).toMatchObject({
    driver: expect.stringMatching(/^VirtualDriver \(\d+\)$/),
    raw: '10',
    scaling: 'raw × 2 + 1',
  });
  await admin.data(`${ACTIONS}/confirm`, { action_id: actionId });
  const latest = await eventually(
    () => admin.data('/api/v3/data/point_value/latest', { deviceId, pointId }),
    (answer) => JSON.stringify(answer).includes('"calValue":"21'),
  );
  expect(Latest.parse(latest).records[0].rawValue).toBe(wire.raw);
});

import { describe, expect, it } from 'vitest';

import { watched } from '../support/devices/watched.ts';
import { worker } from '../support/people/accounts.ts';
import { actionsIn } from '../support/people/actions.ts';
import { startedWorld } from '../support/world/prepared.ts';

const PATH = '/api/v3/agentic/handover/get';

const world = startedWorld();

describe('the handover of a plant over REST', () => {
  it('says what fires, what is away, what waits and what is not known', async () => {
    const mine = await world.tenant('rest-shift');
    const boiler = await watched(world, mine, 'boiler', { severity: 'P1' });
    await boiler.measure(81);
    const over = await watched(world, mine, 'over');
    await over.measure(81, 20);
    const card = await actionsIn(world, mine).proposeIn(boiler.site, '21');
    expect(await mine.data(PATH)).toMatchObject({
      alarms: {
        firing: 1,
        recoveredUnconfirmed: 1,
        rows: [
          {
            state: 'FIRING',
            level: 'P1',
            deviceName: 'boiler device',
            pointName: 'boiler set-point',
            ruleName: 'boiler too hot',
            condition: '> 80 °C',
            value: '81 °C',
            confirmed: false,
            recovered: null,
          },
        ],
      },
      outages: { offline: 0, neverConnected: 2, back: [] },
      pending: [{ actionId: card.actionId, status: 'PENDING' }],
      unknownWrites: [],
    });
  });

  it('leaves out what the caller may not read, and what is of another tenant', async () => {
    const mine = await world.tenant('rest-narrow');
    const boiler = await watched(world, mine, 'boiler', { severity: 'P1' });
    await boiler.measure(81);
    const { session } = await worker(mine, ['svc-center-agentic:action:get']);
    expect(await session.data(PATH)).toMatchObject({
      alarms: null,
      outages: null,
      silentPoints: null,
      pending: [],
      unknownWrites: null,
    });
    const other = await world.tenant('rest-other');
    expect(await other.data(PATH)).toMatchObject({
      alarms: { firing: 0, rows: [] },
      outages: { neverConnected: 0, devices: [] },
      pending: [],
    });
  });

  it('refuses a time that is none', async () => {
    const { status, body } = await world.admin.get(PATH, { since: 'yesterday' });
    expect([status, body.code]).toEqual([400, 'R400']);
  });
});

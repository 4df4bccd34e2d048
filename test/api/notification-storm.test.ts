import { expect, it } from 'vitest';

import { startWebhookReceiver } from '../support/neighbours/webhook-receiver.ts';
import { runStorm } from '../support/runs/storm.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';

const DEVICES = 300;

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);

it(`a driver that is lost with ${DEVICES} devices is three messages in ten minutes at most, and so is its return`, async () => {
  const { lost, back, offline } = await runStorm(world, hook.url, DEVICES);
  for (const gusts of [lost, back]) {
    expect(gusts.messages).toBeGreaterThan(0);
    expect(gusts.most).toBeLessThanOrEqual(3);
    expect(gusts.first).toMatch(/“Trunk driver” is /);
    expect(gusts.p0.raised).toBe(20);
    expect(gusts.p0.known).toBe(20);
  }
  expect(offline).toBeGreaterThanOrEqual(DEVICES);
}, 300_000);

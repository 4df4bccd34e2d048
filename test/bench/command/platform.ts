/**
 * The whole platform with one LwM2M device. Says on which UDP port the device has to register; a number asks
 * for so many writes, one after the other.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import { waitForReceipt } from '../../../src/data/command/receipt.ts';
import { write } from '../../../src/data/write/point-command.ts';
import type { Caller } from '../../../src/kernel/app/app.ts';
import { startPlatform } from '../../../src/start/platform.ts';
import { login } from '../../support/people/session.ts';
import { testEnvironment } from '../../support/world/environment.ts';
import { measuredSettings } from '../platform/settings.ts';
import { setPoint } from './set-points.ts';
import { onboardThermostat } from './thermostat.ts';

const WAIT_MS = 15_000;
const REGISTERS_WITHIN = 30;

const { app, listening, stop } = await startPlatform(measuredSettings());
process.once('SIGTERM', () => void stop().then(() => process.exit()));
const admin = await login(
  app.config.baseUrl,
  'default',
  'admin',
  testEnvironment.SVC_ADMIN_PASSWORD,
);
const thermostat = await onboardThermostat(admin);
const caller: Caller = {
  tenantId: admin.tenantId,
  principalId: admin.principalId,
  principalType: 'USER',
  name: 'admin',
  via: 'login',
  permissions: new Set(['*']),
};
let turn = 0;

process.on('message', (count) => {
  if (count === 'register') void registered().then(() => process.send?.('registered'));
  else void writes(Number(count)).then((figures) => process.send?.(figures));
});
const port = listening.find(({ scheme }) => scheme === 'coap')?.port;
process.send?.({ port });

/** Milliseconds of a write: until it is accepted, and from then to its verified receipt. */
async function written(): Promise<{ accepted: number; verified: number }> {
  turn += 1;
  const began = performance.now();
  const commandId = await write(app, caller, { ...thermostat, value: String(setPoint(turn)) });
  const accepted = performance.now();
  const receipt = await waitForReceipt(app, caller, { commandId, waitMs: WAIT_MS });
  const ended = performance.now();
  if (receipt.verification !== 'VERIFIED') throw new Error(receipt.say);
  return { accepted: accepted - began, verified: ended - accepted };
}

async function writes(count: number) {
  const accepted: number[] = [];
  const verified: number[] = [];
  for (let left = count; left > 0; left -= 1) {
    const waits = await written();
    accepted.push(waits.accepted);
    verified.push(waits.verified);
  }
  return { accepted, verified };
}

async function registered(): Promise<void> {
  for (let left = REGISTERS_WITHIN; ; left -= 1)
    try {
      return void (await written());
    } catch (error) {
      if (left === 0) throw error;
      await sleep(1_000);
    }
}

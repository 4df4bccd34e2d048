import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { type Lwm2mBench, openLwm2mBench } from '../../support/devices/lwm2m-bench.ts';
import { asleep, sleeper, writeOf } from '../../support/lwm2m/sleeper.ts';

let bench: Lwm2mBench;
beforeEach(async () => {
  bench = await openLwm2mBench();
});
afterEach(() => bench.close());

it('int-109: requests wait while the device sleeps, and go in their order when it wakes', async () => {
  const { driver, center, simulated } = await asleep(bench);
  const { reads } = simulated.requests;
  const first = await center.send(writeOf('21', 30_000));
  const second = await center.send(writeOf('22', 30_000));
  const third = await center.send({ ...writeOf('', 30_000), type: 'READ', value: null });
  await vi.waitFor(() => expect(center.results.length).toBe(3), 20_000);
  expect(center.results.map(({ status }) => status)).toEqual(['WAITING', 'WAITING', 'WAITING']);
  expect(simulated.requests).toMatchObject({ reads, writes: 0 });
  simulated.wake();
  await vi.waitFor(() => expect(center.results.length).toBe(6), 20_000);
  expect(center.results.slice(3)).toMatchObject([
    { commandId: first.commandId, status: 'SUCCESS', readBack: '21' },
    { commandId: second.commandId, status: 'SUCCESS', readBack: '22' },
    { commandId: third.commandId, status: 'SUCCESS', responseValue: '22' },
  ]);
  expect(driver.sleeper?.(sleeper)?.isAwake).toBe(true);
});

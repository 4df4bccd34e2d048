import { vi } from 'vitest';

import { driverDevice } from '../devices/driver-center.ts';
import type { Lwm2mBench } from '../devices/lwm2m-bench.ts';

/** The set-point and the temperature of a simulated device, configured to listen for a second after it spoke. */
export const sleeper = driverDevice({ endpoint: 'urn:dev:1', awakeTime: '1' }, [
  {
    id: '2',
    code: 'setPoint',
    rw: 'READ_WRITE',
    configs: { objectId: '3308', resourceId: '5900' },
  },
  { id: '3', code: 'temperature', configs: { objectId: '3303', resourceId: '5700' } },
]);

/** The same device, registered and asleep. */
export async function asleep(bench: Lwm2mBench) {
  const served = await bench.serve([sleeper]);
  const { driver } = served;
  const simulated = await bench.simulate(driver, () => {}, { queue: { awakeMs: 1_000 } });
  await bench.reaches(driver, sleeper, 'ONLINE');
  await vi.waitFor(() => {
    if (driver.sleeper?.(sleeper)?.isAwake !== false || !simulated.isAsleep())
      throw new Error('it is awake');
  }, 20_000);
  return { ...served, simulated };
}

/** A write that is valid for `lifeMs`. */
export const writeOf = (value: string, lifeMs: number) => ({
  type: 'WRITE' as const,
  pointId: '2',
  value,
  expireAt: Date.now() + lifeMs,
  remainingMs: lifeMs,
});

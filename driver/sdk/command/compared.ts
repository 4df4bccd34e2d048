import { until } from '../wait.ts';
import type { OnceParts } from './at-most-once.ts';
import { BEHIND_MS } from './effect-check.ts';

/** Resolves once a newly registered device, in doubt until then, was compared by the center; or after a second. */
export async function untilCompared(
  { devices, serving, clock }: Pick<OnceParts, 'devices' | 'serving' | 'clock'>,
  deviceId: string,
  deadline: number,
): Promise<void> {
  const isCompared = (): boolean => {
    const device = devices.get(deviceId);
    return !device || serving.isCompared(device);
  };
  await until(clock, Math.min(clock.now() + BEHIND_MS, deadline), isCompared);
}

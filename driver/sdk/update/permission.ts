import type { Bus } from '../../../src/bus/bus.ts';
import type { Payload } from '../../../src/bus/topic/topics.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { DriverFailure } from '../driver.ts';
import { within } from '../wait.ts';

type Portion = Payload<'svc.e.firmware_portion'>;

const ANSWER_MS = 10_000;

/** Asks the center whether an update may begin now. */
export type UpdatePermission = {
  /** Throws `DriverFailure` where it may not, and without an answer in time. */
  ask(update: Pick<Payload<'svc.e.firmware'>, 'updateId' | 'tenantId'>): Promise<void>;
  take(portion: Portion): void;
};

type Parts = { bus: Bus; clock: Clock; driverCode: string; node: string };

export function createUpdatePermission({ bus, clock, driverCode, node }: Parts): UpdatePermission {
  const waiting = new Map<string, (mayBegin: boolean) => void>();
  return {
    async ask({ updateId, tenantId }) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      waiting.set(updateId, resolve);
      const request = { driverCode, node, updateId, tenantId, asks: 'begin', offset: 0 } as const;
      const asking = bus.publish('svc.e.firmware_request', request, { key: driverCode });
      const mayBegin = await within(clock, ANSWER_MS, Promise.all([promise, asking]))
        .then(([answer]) => answer)
        .catch((error: unknown) => {
          const text = 'The platform does not answer, so nothing is sent to the device';
          throw new DriverFailure('PLATFORM_AWAY', text, 'FAILED', error);
        })
        .finally(() => waiting.delete(updateId));
      if (mayBegin) return;
      const text =
        'The platform does not let the update begin now, so nothing is sent to the device';
      throw new DriverFailure('NOT_ALLOWED', text);
    },
    take: ({ updateId, mayBegin }) => waiting.get(updateId)?.(mayBegin === true),
  };
}

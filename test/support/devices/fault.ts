import type { Session } from '../people/session.ts';
import type { World } from '../world/app.ts';

/** A fault a device reports, which no rule watches. */
export const reportFault = (
  { bus, clock }: World,
  { tenantId }: Session,
  entityId: string,
  message: string,
): Promise<void> =>
  bus.handled(
    'svc.e.alarm',
    {
      tenantId,
      target: 'DEVICE',
      entityId,
      type: 'FAULT',
      source: 'DEVICE_REPORT',
      message,
      occurTime: clock.now(),
    },
    tenantId,
  );

import { inTenant } from '../../../src/db/tenant.ts';
import type { App } from '../../../src/kernel/app/app.ts';

/** Stores of a device what one with object 5 registers, for proposals of firmware to it. */
export const registersFirmware = (
  { db }: Pick<App, 'db'>,
  tenantId: string,
  deviceId: string,
  objects = '3/0 5/0',
): Promise<unknown> =>
  inTenant(db, tenantId, (q) =>
    q
      .insertInto('svc_device_registration')
      .values({
        tenantId,
        deviceId,
        endpoint: `urn:${deviceId}`,
        version: '1.1',
        registerTime: new Date(),
        objects,
        leftOut: 0,
      })
      .onConflict((conflict) => conflict.columns(['tenantId', 'deviceId']).doUpdateSet({ objects }))
      .execute(),
  );

import { z } from 'zod';

import type { Session } from '../people/session.ts';
import type { World } from '../world/app.ts';
import { registersFirmware } from './registers-firmware.ts';
import { firmwarePackage } from './upload-firmware.ts';

const Id = z.string().min(1);

/** A package that `device` can take, and a paused roll-out of it to another one: nothing is sent. */
export async function populateFirmware(
  { app }: World,
  session: Session,
  device: string,
  addDevice: () => Promise<string>,
) {
  await registersFirmware(app, session.tenantId, device);
  const given = { package_name: 'thermostat', package_version: '2.0.0' };
  const { id: firmware } = await firmwarePackage(session, new Uint8Array([1]), given);
  const path = '/api/v3/manager/firmware/rollout';
  const body = { packageId: firmware, deviceIds: [await addDevice()] };
  const { id: rollout } = z.object({ id: Id }).parse(await session.data(`${path}/start`, body));
  await session.data(`${path}/pause`, { id: rollout });
  return { firmware, rollout };
}

import { registersFirmware } from '../../lwm2m/registers-firmware.ts';
import { packageOf } from '../../lwm2m/rollout.ts';
import { Id } from '../../people/shapes.ts';
import { fresh } from '../../world/fresh-name.ts';
import type { Site } from '../site.ts';
import type { Add, Examples } from './example.ts';

const FIRMWARE = '/api/v3/manager/firmware';

/** Nothing of it is sent: the device has no driver that takes firmware and no node that serves it. */
export function firmwareExamples({ mine, world: { app } }: Site, add: Add): Examples {
  const rollout = async () => {
    const deviceIds = [await add('manager/device/add')];
    return { packageId: (await packageOf({ admin: mine }, '2.0.0')).id, deviceIds };
  };
  const made = async (how: string) => {
    const row = await mine.data(`${FIRMWARE}/rollout/${how}`, await rollout());
    return { input: { id: Id.parse(Reflect.get(Object(row), 'id')) } };
  };
  return {
    'manager/firmware/upload': async () => ({
      input: { packageName: fresh('Valve'), packageVersion: '2.0.0' },
    }),
    'manager/firmware/delete': async () => ({
      input: { id: (await packageOf({ admin: mine }, '2.0.0')).id },
    }),
    'manager/firmware/rollout/start': async () => ({ input: await rollout() }),
    'agentic/action/propose_firmware': async () => {
      const { packageId, deviceIds } = await rollout();
      for (const deviceId of deviceIds) await registersFirmware(app, mine.tenantId, deviceId);
      return { input: { packageId, deviceIds } };
    },
    'manager/firmware/rollout/pause': () => made('start'),
    'manager/firmware/rollout/resume': async () => {
      const paused = await made('start');
      await mine.data(`${FIRMWARE}/rollout/pause`, paused.input);
      return paused;
    },
    'manager/firmware/rollout/stop': () => made('start'),
    'manager/firmware/rollout/get_by_id': () => made('start'),
    'manager/firmware/rollout/list_devices': async () => {
      const { input } = await made('start');
      return { input: { rolloutId: input.id } };
    },
  };
}

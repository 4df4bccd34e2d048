import { z } from 'zod';

import { stopOf } from '../../auth/connection/stop.ts';
import type { Queries } from '../../db/connect.ts';
import type { App } from '../../kernel/app/app.ts';
import { changesBetween } from '../entity/setting-facts.ts';
import { targetsOf } from './target.ts';

const Facts = z.record(z.string(), z.string());

/** A device as it was chosen: `target` are its facts then, empty for a roll-out from before they were kept. */
type Chosen = { deviceId: string; target: unknown };

/** Why a device is not begun: it is not the one that was chosen any more. */
export type NotBegun = {
  code: 'DEVICE_CHANGED' | 'DEVICE_DISABLED' | 'DEVICE_GONE';
  message: string;
};

/** The devices that are not to be begun, by their ids. */
export async function changedDevices(
  app: App,
  q: Queries,
  tenantId: string,
  devices: readonly Chosen[],
): Promise<Map<string, NotBegun>> {
  const ids = devices.map(({ deviceId }) => deviceId);
  const now = await targetsOf(app, q, tenantId, ids, app.clock.now());
  const present = new Map(now.map((target) => [target.deviceId, target]));
  const changed = new Map<string, NotBegun>();
  for (const { deviceId, target: stored } of devices) {
    const target = present.get(deviceId);
    const before = Facts.parse(stored);
    if (!target)
      changed.set(deviceId, {
        code: 'DEVICE_GONE',
        message: 'The device was deleted before its turn: nothing was sent',
      });
    else if (!target.isEnabled)
      changed.set(deviceId, {
        code: 'DEVICE_DISABLED',
        message: 'The device was disabled before its turn: nothing was sent',
      });
    else if (Object.keys(before).length > 0) {
      const changes = changesBetween(before, target.facts);
      if (changes.length > 0)
        changed.set(deviceId, {
          code: 'DEVICE_CHANGED',
          message: `It is not the device that was chosen any more, nothing was sent: ${changes.join('; ').slice(0, 400)}`,
        });
    }
  }
  return changed;
}

/** A device whose update has begun, with the proposer and the client of its roll-out. */
export type Begun = Chosen & { tenantId: string; proposerId: string; clientId: string };

/** Why nothing is sent to a device that has begun: a switch holds its roll-out, or it is another device now; else null. */
export async function deferred(
  app: App,
  q: Queries,
  { tenantId, proposerId, clientId, ...device }: Begun,
): Promise<NotBegun | 'held' | null> {
  const principalId = proposerId;
  const stop =
    proposerId === '0' ? null : await stopOf(app, q, { tenantId, principalId, clientId });
  if (stop !== null) return 'held';
  const changed = await changedDevices(app, q, tenantId, [device]);
  return changed.get(device.deviceId) ?? null;
}

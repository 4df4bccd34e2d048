import { z } from 'zod';

import { Id } from '../../src/kernel/input/id.ts';
import { byId } from '../../src/manager/firmware/rollout.ts';
import { Visible } from '../shape/text.ts';
import { defineResource } from './define.ts';

export const firmwareResources = [
  defineResource({
    uri: 'svc://firmware/rollout/{rolloutId}',
    name: 'firmware-rollout',
    title: 'A roll-out of firmware',
    domain: 'Device',
    description:
      'A roll-out of firmware, proposed or begun: its status and why, and how many devices have come how far. Only VERIFIED devices are known to run the version.',
    permission: 'svc-center-manager:firmware:list',
    params: z.strictObject({ rolloutId: Id.describe('Roll-out id, as of proposeFirmware') }),
    output: z.object({
      rolloutId: z.string(),
      packageName: Visible(),
      packageVersion: Visible(),
      status: z.string(),
      why: Visible(512),
      total: z.int().describe('Devices'),
      wave: z.int().describe('Waves begun'),
      devices: z.record(z.string(), z.int()).describe('How many have which status'),
      endedAt: z.string().nullable(),
    }),
    async read(app, caller, { rolloutId }) {
      const { id, devices, endTime, ...rollout } = await byId(app, caller, { id: rolloutId });
      const { packageName, packageVersion, status, why, total, wave } = rollout;
      const counted = Object.entries(devices).filter(([, count]) => count > 0);
      return {
        rolloutId: id,
        packageName,
        packageVersion,
        status,
        why,
        total,
        wave,
        devices: Object.fromEntries(counted),
        endedAt: endTime,
      };
    },
  }),
];

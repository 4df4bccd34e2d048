import { z } from 'zod';

import { withNames } from '../../src/manager/find/resolve.ts';
import { packageNamed } from '../../src/manager/firmware/package.ts';
import { propose } from '../../src/manager/firmware/start.ts';
import { defineTool, PROPOSES } from '../define.ts';
import { Ref } from '../shape/ref.ts';
import { Said, Shown } from '../shape/text.ts';
import { forDecision } from '../value/propose-writes.ts';

const MAX_DEVICES = 100;

export const firmwareTool = defineTool({
  name: 'proposeFirmware',
  title: 'Propose firmware',
  domain: 'Device',
  description: 'Proposes to roll firmware out in waves: nothing is sent until a human confirms it.',
  permission: 'svc-center-manager:firmware_rollout:propose',
  scope: 'svc:propose',
  input: z.strictObject({
    packageId: Ref.describe('Id, or name and version'),
    deviceIds: z.array(Ref).min(1).max(MAX_DEVICES).optional().describe('Ids or names'),
    groupId: Ref.optional().describe('Instead: id or name'),
    reason: forDecision.reason,
  }),
  output: z.object({
    rolloutId: z.string(),
    status: z.string(),
    packageName: Shown().optional(),
    packageVersion: Shown().optional(),
    devices: z.int().optional(),
    expiresAt: z.string().optional(),
    say: Said,
  }),
  annotations: PROPOSES,
  run: (app, caller, { packageId: wanted, deviceIds: devices, groupId: group, reason }) =>
    withNames(app, caller, async (find) => {
      const deviceIds: string[] = [];
      for (const one of devices ?? []) deviceIds.push(await find.one('device', one));
      const { groupId } = await find.ids({ groupId: group });
      const packageId = await packageNamed(app, caller, wanted);
      const made = await propose(app, caller, {
        packageId,
        ...(devices && { deviceIds }),
        ...(groupId !== undefined && { groupId }),
        reason,
        waveSize: 10,
        failurePercent: 10,
        minutes: 60,
      });
      const { packageName, packageVersion, total, expireTime } = made;
      return {
        rolloutId: made.id,
        status: made.status,
        packageName,
        packageVersion,
        devices: total,
        ...(expireTime && { expiresAt: expireTime }),
        say: `Waits for a human, on the console page Firmware. Nothing was sent. How it goes: svc://firmware/rollout/${made.id}`,
      };
    }),
});

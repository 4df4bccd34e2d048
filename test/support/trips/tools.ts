import { z } from 'zod';

import { tools } from '../../../tools/index.ts';
import { ownInput } from '../cases/foreign-cases.ts';
import { lwm2mDevice } from '../lwm2m/device.ts';
import { waitingEndpoint } from '../lwm2m/waiting.ts';
import { fresh } from '../world/fresh-name.ts';
import type { Call } from './call.ts';
import type { Site } from './site.ts';

type Input = Record<string, unknown>;

/** Every tool over MCP, as an agent of the tenant. */
export function toolCalls({ agent, mine, own, plant, clock, world }: Site): Call[] {
  const pair = { deviceId: plant.deviceId, pointId: plant.target };
  let values = 0;
  const write = (): Input => ({ ...pair, value: 5 + ((values += 1) % 200) / 10 });
  const special: Record<string, () => Promise<Input>> = {
    getPointValueHistory: async () => pair,
    drillNotification: async () => ({ deviceId: plant.deviceId, at: '2026-12-06T03:00:00Z' }),
    readPointValue: async () => pair,
    writePointValue: async () => write(),
    proposeWrites: async () => {
      const { device: deviceId, point: pointId } = own;
      return { writes: [write(), { ...write(), deviceId, pointId }] };
    },
    proposeFirmware: async () => ({ packageId: own.firmware, deviceIds: [own.device] }),
    previewRule: async () => ({ ruleId: own.rule }),
    proposeRule: async () => ({
      pointId: own.point,
      ruleName: fresh('rule'),
      operator: 'exists',
    }),
    proposeConfirmation: async () => {
      const which = { source: 'point', id: own.alarm };
      await mine.data('/api/v3/data/dashboard/alert/unconfirm', which);
      return { alarmIds: [own.alarm] };
    },
    proposeMaintenance: async () => ({
      maintenanceName: fresh('maintenance'),
      deviceIds: [own.device],
      end: new Date(clock.now() + 3_600_000).toISOString(),
    }),
    proposeOnboarding: async () => {
      const { deviceId } = await lwm2mDevice(mine, {});
      return { waitingId: await waitingEndpoint(world, mine, deviceId) };
    },
    withdrawAction: async () => {
      const proposed = await call('writePointValue', write());
      return { actionId: z.object({ actionId: z.string() }).parse(proposed).actionId };
    },
    lookupCommandById: async () => ({ commandId: own.pointCommand }),
  };
  async function call(name: string, input: Input): Promise<unknown> {
    const { isError, content, structuredContent } = await agent.call(name, input);
    // The action of the rows waits: it is looked at, and has nothing to undo.
    if (isError === true && name !== 'proposeUndo')
      throw new Error(`${name} answered ${JSON.stringify(content)} to ${JSON.stringify(input)}`);
    return structuredContent;
  }
  const byName: Call = {
    name: 'tool lookupDeviceById by name',
    async prepare() {
      const device = await call('lookupDeviceById', { deviceId: plant.deviceId });
      const { deviceName } = z.object({ deviceName: z.string() }).parse(device);
      return () => call('lookupDeviceById', { deviceId: deviceName.toUpperCase() });
    },
    touch: () => call('getCurrentTenantInfo', {}),
  };
  // What calls another takes its trips.
  const called = tools.filter(({ opens }) => !opens?.call);
  const byId = called.map(({ name, input }) => ({
    name: `tool ${name}`,
    async prepare() {
      const given =
        (await special[name]?.()) ?? ownInput({ center: 'tools', path: `/${name}`, input }, own);
      return () => call(name, given);
    },
    touch: () => call('getCurrentTenantInfo', {}),
  }));
  return [...byId, byName];
}

import { z } from 'zod';

import { uriOf } from '../../../src/mcp/offer/resource-uri.ts';
import { resources } from '../../../tools/resource/index.ts';
import { fieldsOf } from '../cases/input-shape.ts';
import type { Call } from './call.ts';
import type { Site } from './site.ts';

const Page = z.object({ records: z.array(z.object({ cursor: z.string() })) });
const HISTORY = 100;

/** The cursor that ends a full page of the plant's values, of which there is another full page. */
async function behindFirstPage({ agent, mine, plant, world }: Site): Promise<string> {
  const { deviceId, driverId, target: pointId } = plant;
  const now = world.clock.now();
  const values = Array.from({ length: HISTORY }, (_, at) => ({
    deviceId,
    pointId,
    rawValue: '20',
    calValue: '20',
    numValue: 20,
    originTime: now - at * 1_000,
    seq: 0,
    quality: 0 as const,
  }));
  const { tenantId } = mine;
  const batch = { tenantId, driverId, driverCode: 'VirtualDriver', node: 'test', values };
  await world.bus.handled('svc.e.value', batch, 'VirtualDriver');
  const uri = `svc://device/${deviceId}/point/${pointId}/history`;
  const cursor = Page.parse(await agent.read(uri)).records.at(-1)?.cursor;
  if (cursor === undefined) throw new Error('there are no values');
  return cursor;
}

/** Every resource over MCP, and the lists of an agent. */
export function resourceCalls(site: Site): Call[] {
  const { agent, own, plant } = site;
  const values: Record<string, string> = {
    deviceId: plant.deviceId,
    pointId: plant.target,
    actionId: own.action,
    alarmId: own.alarm,
    rolloutId: own.rollout,
    position: '5.1772353800000000.1',
  };
  const touch = () => agent.call('getCurrentTenantInfo');
  const lists = {
    'mcp tools/list': () => agent.list(),
    'mcp resources/list': () => agent.resources(),
  };
  return [
    ...Object.entries(lists).map(([name, go]) => ({ name, touch, prepare: async () => go })),
    ...resources.map((resource) => ({
      name: `resource ${resource.uri}`,
      touch,
      async prepare() {
        const params: Record<string, string> = {};
        for (const { name } of fieldsOf(resource.params))
          params[name] = name === 'cursor' ? await behindFirstPage(site) : (values[name] ?? '');
        return () => agent.read(uriOf(resource, params));
      },
    })),
  ];
}

import { uriOf } from '../../../src/mcp/offer/resource-uri.ts';
import { resources } from '../../../tools/resource/index.ts';
import { fieldsOf } from '../cases/input-shape.ts';
import type { Call } from './call.ts';
import type { Site } from './site.ts';

/** Every resource over MCP, and the lists of an agent. */
export function resourceCalls({ agent, own, plant }: Site): Call[] {
  const values: Record<string, string> = {
    deviceId: plant.deviceId,
    pointId: plant.target,
    actionId: own.action,
    alarmId: own.alarm,
    position: '1.0.1772353800000.1',
    cursor: '1772353800000.0',
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
        for (const { name } of fieldsOf(resource.params)) params[name] = values[name] ?? '';
        return () => agent.read(uriOf(resource, params));
      },
    })),
  ];
}

import { centers } from '../../../../src/gateway/mount/centers.ts';
import type { Route } from '../../../../src/kernel/app/route.ts';
import { tools } from '../../../../tools/index.ts';
import { resources } from '../../../../tools/resource/index.ts';
import { casesOf, ownInput } from '../../cases/foreign-cases.ts';
import { isId } from '../../cases/input-shape.ts';
import { asking } from '../../people/mcp-2026.ts';
import type { Site } from '../../trips/site.ts';
import { toolCalls } from '../../trips/tools.ts';

export type Door = 'mcp' | 'api';
/** One read of a tenant's rows, of which `ask` answers what its reader was sent. */
export type Read = { name: string; door: Door; ask(bearer: string): Promise<string> };

type Input = Record<string, unknown>;

/** Every tool that reads, every resource and every route that a program may read, with ids that exist. */
export async function readsOf(site: Site): Promise<Read[]> {
  return [...(await toolReads(site)), ...resourceReads(site), ...routeReads(site)];
}

/** Their inputs as the trips make them. The clock is held: a wait would have no end, and no device answers. */
async function toolReads(site: Site): Promise<Read[]> {
  const calls = new Map<string, Input>();
  const agent: Site['agent'] = {
    ...site.agent,
    call: (name, input = {}) => {
      calls.set(name, input);
      return site.agent.call(name, input);
    },
  };
  const isRead = (name: string): boolean => {
    const { readOnlyHint, openWorldHint } =
      tools.find((tool) => tool.name === name)?.annotations ?? {};
    return readOnlyHint === true && openWorldHint !== true && name !== 'waitForEvents';
  };
  for (const { name, prepare } of toolCalls({ ...site, agent }))
    if (isRead(name.slice('tool '.length))) await (await prepare())();
  return [...calls]
    .filter(([name]) => isRead(name))
    .map(([name, given]) => ({
      name: `tool ${name}`,
      door: 'mcp',
      ask: async (bearer) =>
        JSON.stringify(
          await asking(site.world.base, bearer)('tools/call', { name, arguments: given }),
        ),
    }));
}

const VARIABLE = /\{(\w+)\}/g;

function resourceReads({ world, own, plant }: Site): Read[] {
  const ids: Record<string, string> = {
    actionId: own.action,
    alarmId: own.alarm,
    deviceId: plant.deviceId,
    pointId: plant.target,
    profileId: own.profile,
    driverId: own.driver,
    rolloutId: own.rollout,
    packageId: own.firmware,
  };
  return resources.map(({ uri }) => {
    const filled = uri.replaceAll(VARIABLE, (_, name: string) => ids[name] ?? `{${name}}`);
    return {
      name: `resource ${uri}`,
      door: 'mcp',
      ask: async (bearer) =>
        JSON.stringify(await asking(world.base, bearer)('resources/read', { uri: filled })),
    };
  });
}

const isRead = ({ scope, needs, risk }: Route): boolean =>
  scope !== 'interactive' &&
  needs !== 'public' &&
  risk.riskLevel === 'LOW' &&
  !risk.destructive &&
  !risk.openWorld;

function routeReads({ world, own }: Site): Read[] {
  return Object.entries(centers).flatMap(([center, routes]) =>
    routes.filter(isRead).flatMap((route) => {
      const row = { ...route, center };
      const whole = ownInput(row, own);
      // Also without a filter where an id is one.
      const byId = casesOf(row, own).map(({ field, kind, input }) => ({
        field,
        given: { ...whole, ...input(own[kind]) },
      }));
      return [{ field: '', given: whole }, ...byId]
        .filter(({ field, given }) => field !== '' || !Object.keys(given).some(isId))
        .map(({ field, given }) => ({
          name: `${route.method} ${center}${route.path}${field && ` by ${field}`}`,
          door: 'api' as const,
          ask: (bearer: string) =>
            overRest(`${world.base}/api/v3/${center}${route.path}`, route.method, bearer, given),
        }));
    }),
  );
}

async function overRest(
  url: string,
  method: Route['method'],
  bearer: string,
  given: Input,
): Promise<string> {
  const query = new URLSearchParams(
    Object.entries(given).map(([key, value]): [string, string] => [key, String(value)]),
  );
  const response = await fetch(method === 'get' ? `${url}?${String(query)}` : url, {
    method: method.toUpperCase(),
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    ...(method === 'post' && { body: JSON.stringify(given) }),
    signal: AbortSignal.timeout(60_000),
  });
  return `${response.status} ${await response.text()}`;
}

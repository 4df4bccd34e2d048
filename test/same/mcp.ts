import { z } from 'zod';

import { asking } from '../support/people/mcp-2026.ts';
import { speak } from '../support/people/mcp-session.ts';
import { lines } from './plain.ts';
import { answered, type Artefact, ask, note } from './record.ts';

type Params = Record<string, unknown>;
type Call = (method: string, params?: Params) => Promise<string>;

const Listed = z.looseObject({
  result: z.looseObject({
    tools: z.array(z.looseObject({ name: z.string() })).optional(),
    prompts: z.array(z.looseObject({ name: z.string() })).optional(),
    resources: z.array(z.looseObject({ uri: z.string() })).optional(),
    resourceTemplates: z.array(z.looseObject({ uriTemplate: z.string() })).optional(),
    nextCursor: z.string().optional(),
  }),
});
const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
/** It waits for an event unless it is called wrongly. */
const WAITS = 'waitForEvents';

export type Plant = { deviceId: string; deviceName: string; temperature: string; target: string };

/** What an agent gets in each era of the protocol. */
export async function mcp(base: string, bearer: string, plant: Plant): Promise<Artefact> {
  const artefact: Artefact = new Map();
  await ask(artefact, 'no token', `${base}/mcp`, {
    body: { jsonrpc: '2.0', id: 1, method: 'ping' },
  });
  await ask(artefact, 'no token, GET', `${base}/mcp`);
  await ask(artefact, 'initialize', `${base}/mcp`, {
    headers: { authorization: `Bearer ${bearer}`, accept: 'application/json, text/event-stream' },
    body: {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'same', version: '1' },
      },
    },
  });
  const session = await speak(base, bearer);
  await era('2025', artefact, plant, async (method, params = {}) =>
    answered(await session.send({ method, params })),
  );
  await session.close();
  for (const [name, capabilities] of [
    ['2026', {}],
    [
      '2026 tasks',
      { elicitation: { form: {}, url: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } },
    ],
  ] as const) {
    const request = asking(base, bearer, capabilities);
    await era(name, artefact, plant, async (method, params) =>
      lines(JSON.stringify(await request(method, params))),
    );
  }
  return artefact;
}

async function era(name: string, artefact: Artefact, plant: Plant, call: Call): Promise<void> {
  const say = async (method: string, params?: Params): Promise<string> => {
    const answer = await call(method, params);
    note(artefact, `${name} ${method} ${JSON.stringify(params ?? {})}`, unfolded(answer));
    return answer;
  };
  const tools: string[] = [];
  const prompts: string[] = [];
  for (const method of LISTS) {
    let cursor: string | undefined;
    do {
      const answer = await say(method, cursor === undefined ? {} : { cursor });
      const { result } = Listed.parse(body(answer));
      tools.push(...(result.tools ?? []).map((tool) => tool.name));
      prompts.push(...(result.prompts ?? []).map((prompt) => prompt.name));
      for (const { uri } of result.resources ?? []) await say('resources/read', { uri });
      for (const { uriTemplate } of result.resourceTemplates ?? [])
        for (const id of [plant.deviceId, '999999', 'x'])
          await say('resources/read', { uri: uriTemplate.replace(/\{[^}]+\}/g, id) });
      cursor = result.nextCursor;
    } while (cursor !== undefined);
  }
  for (const prompt of [...prompts, 'none']) {
    await say('prompts/get', { name: prompt });
    await say('prompts/get', {
      name: prompt,
      arguments: { device: plant.deviceName, deviceName: plant.deviceName },
    });
  }
  for (const tool of [...tools, 'none']) {
    await say('tools/call', { name: tool, arguments: { nothing: 1 } });
    if (tool !== WAITS) await say('tools/call', { name: tool, arguments: {} });
  }
  for (const [tool, given] of calls(plant))
    await say('tools/call', { name: tool, arguments: given });
  for (const method of [
    'server/discover',
    'ping',
    'tasks/get',
    'tasks/cancel',
    'completion/complete',
    'no/such',
  ])
    await say(method, method.startsWith('tasks') ? { taskId: 'unknown' } : {});
}

/** Calls that read, propose and are refused. */
const calls = ({ deviceId, target, temperature }: Plant): [string, Params][] => [
  ...[
    'lookupDeviceById',
    'lookupPointById',
    'lookupProfileById',
    'lookupDriverById',
    'lookupActionById',
    'lookupAlarmById',
    'lookupCommandById',
    'lookupEventById',
  ].flatMap((tool): [string, Params][] =>
    ['1', '999999', 'x'].map((id) => [tool, { [`${tool.slice(6, -4).toLowerCase()}Id`]: id }]),
  ),
  ['searchPointValues', { deviceId }],
  ['getLatestPointValue', { deviceId, pointId: target }],
  ['getPointValueHistory', { deviceId, pointId: target }],
  ['readPointValue', { deviceId, pointId: target }],
  ['writePointValue', { deviceId, pointId: target, value: '21', reason: 'it is cold' }],
  ['writePointValue', { deviceId, pointId: target, value: '99', reason: 'too much' }],
  ['writePointValue', { deviceId, pointId: temperature, value: '20', reason: 'read-only' }],
  ['writePointValue', { deviceId, pointId: target, value: 'warm', reason: 'no number' }],
  ['searchActions', {}],
  ['withdrawAction', { actionId: '999999' }],
];

const body = (answer: string): unknown => {
  const json = /^(?:data: )?\{$[^]*?^\}$/m.exec(answer)?.[0] ?? answer;
  return JSON.parse(json.replace(/^data: /, ''));
};

/** Texts of an answer that are JSON themselves, a value a line. */
const unfolded = (answer: string): string =>
  answer.replace(
    /^( *"text": )(".*")(,?)$/gm,
    (_, key: string, text: string, comma: string) =>
      `${key}${lines(z.string().parse(JSON.parse(text)))}${comma}`,
  );

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';

import { actionsIn } from '../../people/actions.ts';
import type { Session } from '../../people/session.ts';
import type { World } from '../../world/app.ts';
import { eventually } from '../../world/eventually.ts';
import { confirmSeen } from '../confirm-seen.ts';
import { offeredAs, type ScriptedModel, type Step } from './scripted-model.ts';

const found = (result: string | undefined, pattern: RegExp): string =>
  pattern.exec(result ?? '')?.[1] ?? '';

/** Reads, proposes, and says at the end what the answers held. */
export function script(results: readonly string[]): Step {
  const [, value, proposal, action] = results;
  const point = { deviceId: 'room device', pointId: 'room set-point' };
  const actionId = found(proposal, /"actionId":"([^"]+)"/);
  const steps: Step[] = [
    { tool: 'searchDevices', args: { query: 'room', status: null, driverId: null, limit: '5' } },
    { tool: 'getLatestPointValue', args: point },
    { tool: 'writePointValue', args: { ...point, value: '21', reason: 'It is cold.' } },
    { tool: 'lookupActionById', args: { actionId } },
  ];
  const end = {
    text: `It holds ${found(value, /"value":"([^"]+)"/)}; ${actionId} is ${found(action, /"status":"(\w+)"/)}.`,
  };
  return steps[results.length] ?? end;
}

type Listed = { name: string; properties: string[] };

export async function listedTools(base: string, key: string): Promise<Listed[]> {
  const client = new Client(
    { name: 'proof', version: '1' },
    { versionNegotiation: { mode: 'legacy' } },
  );
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit }));
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name, inputSchema }) => ({
    name,
    properties: Object.keys(inputSchema.properties ?? {}),
  }));
}

/** All tools of the platform reach the model, and the schema of each that is offered is whole. */
export function judgeTools({ asked }: ScriptedModel, listed: readonly Listed[]) {
  const wrong: string[] = [];
  const last = asked.at(-1);
  const offered = listed.map(({ name }) => offeredAs(last?.tools ?? [], name));
  const missing = listed.filter(
    ({ name }) => !new RegExp(`[^A-Za-z]${name}\\b`).test(last?.whole ?? ''),
  );
  if (missing.length > 0)
    wrong.push(`its model hears nothing of ${missing.map(({ name }) => name).join(', ')}`);
  for (const [at, { name, properties }] of listed.entries()) {
    const sent = offered[at];
    const lost = properties.filter((one) => sent && !sent.properties.includes(one));
    if (lost.length > 0)
      wrong.push(`the schema of ${name} reaches its model without ${lost.join(', ')}`);
  }
  const direct = offered.filter(Boolean).length;
  const tools =
    direct === listed.length
      ? `all ${direct} with schemas`
      : `${listed.length - missing.length} by name, schemas when looked up`;
  const result =
    last?.results.find(({ callId }) => callId === 'call_0' || callId === '')?.text ?? '';
  return { wrong, tools, isLooseTaken: result.includes('room device') };
}

const Calls = z.array(
  z.object({
    toolName: z.string(),
    status: z.string(),
    clientName: z.string(),
    clientVersion: z.string(),
  }),
);
const Pending = z.array(z.looseObject({ actionId: z.string(), proposedValue: z.string() }));
const Confirmed = z.object({
  receipt: z.looseObject({ status: z.string(), verification: z.string() }),
});

/**
 * What the platform knows of the turn: the calls under the name of the program, one proposal that waits and wrote
 * nothing, and that what the program says at the end is what the platform answered. A person then confirms it.
 */
export async function judgeTurn(
  world: World,
  person: Session,
  output: string,
  isLooseTaken: boolean,
): Promise<{ wrong: string[]; named: string; calls: string }> {
  const wrong: string[] = [];
  const expected = ['lookupActionById', 'writePointValue', 'getLatestPointValue'];
  if (isLooseTaken) expected.push('searchDevices');
  // Newest first. Rows are written behind the calls.
  let rows: z.output<typeof Calls> = [];
  const read = async () =>
    (rows = Calls.parse(await person.data('/api/v3/auth/mcp/audit/list', {})));
  await eventually(read, (all) =>
    expected.every((name) => all.some(({ toolName }) => toolName === name)),
  ).catch(() => {});
  // Resources beside them are views; a proposal that asks its program for more is called again with the answer.
  const tools = rows.filter(({ toolName }) => !toolName.includes('://'));
  const rounds = tools.filter(({ toolName }, at) => toolName !== tools[at - 1]?.toolName);
  const calls = rounds.map(({ toolName, status }) => `${toolName} ${status}`);
  if (calls.join() !== expected.map((name) => `${name} SUCCESS`).join())
    wrong.push(`its calls are ${calls.join(', ') || 'none'}`);
  const named = [...new Set(rows.map((row) => `${row.clientName} ${row.clientVersion}`))].join(
    ', ',
  );
  const pending = Pending.parse(await person.data('/api/v3/agentic/action/pending'));
  const [action] = pending;
  if (!action || pending.length > 1 || action.proposedValue !== '21') {
    wrong.push(`${pending.length} proposals wait`);
    return { wrong, named, calls: String(rows.length) };
  }
  const said = `It holds 20; ${action.actionId} is PENDING.`;
  if (!output.includes(said))
    wrong.push(`it does not say “${said}” but ${output.trim().slice(-300)}`);
  const actions = actionsIn(world, person);
  if ((await actions.commandsOf(action.actionId)).length > 0) wrong.push('something was written');
  const { receipt } = Confirmed.parse(await confirmSeen(person, action.actionId, 10_000));
  if (receipt.verification !== 'VERIFIED') wrong.push(`confirmed, it is ${receipt.verification}`);
  return { wrong, named, calls: String(rows.length) };
}

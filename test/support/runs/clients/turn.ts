import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';

import { actionsIn } from '../../people/actions.ts';
import type { Session } from '../../people/session.ts';
import type { World } from '../../world/app.ts';
import { eventually } from '../../world/eventually.ts';
import { confirmSeen } from '../confirm-seen.ts';
import { offeredAs, type Script, type ScriptedModel, type Step } from './scripted-model.ts';

const found = (result: string | undefined, pattern: RegExp): string =>
  pattern.exec(result ?? '')?.[1] ?? '';

/** The longest wait that the platform grants, which is below what the libraries of programs wait for an answer. */
const LONGEST_S = 50;
const CUT_S = 15;
const point = { deviceId: 'room device', pointId: 'room set-point' };
const valueIn = (answer: string | undefined) => found(answer, /"value":"([^"]+)"/);

/** Reads, proposes, waits as long as it can where it is to, and says at the end what the answers held. */
export const scriptOf =
  (isWaiting: boolean): Script =>
  (answers) => {
    const [, value, proposal, action] = answers;
    const actionId = found(proposal, /"actionId":"([^"]+)"/);
    const steps: Step[] = [
      { tool: 'searchDevices', args: { query: 'room', status: null, driverId: null, limit: '5' } },
      { tool: 'getLatestPointValue', args: point },
      { tool: 'writePointValue', args: { ...point, value: '21', reason: 'It is cold.' } },
      { tool: 'lookupActionById', args: { actionId } },
    ];
    if (isWaiting) steps.push({ tool: 'waitForEvents', args: { waitS: LONGEST_S } });
    const status = found(action, /"status":"(\w+)"/);
    const end = { text: `It holds ${valueIn(value)}; ${actionId} is ${status}.` };
    return steps[answers.length] ?? end;
  };

/** Waits while `cut` is called, and reads after it. */
export const cutScript =
  (cut: () => void): Script =>
  (answers) => {
    const [wait, value] = answers;
    if (wait === undefined) cut();
    const steps: Step[] = [
      { tool: 'waitForEvents', args: { waitS: CUT_S } },
      { tool: 'getLatestPointValue', args: point },
    ];
    const heard = isWhole(wait) ? 'gets the answer' : `hears “${inCell(wait)}”`;
    const end = { text: `It ${heard}, and ${valueIn(value) ? 'reads on' : 'reads no more'}.` };
    return steps[answers.length] ?? end;
  };

const isWhole = (wait: string | undefined): boolean => wait?.includes('"nextCursor"') ?? false;
/** What a cell of a table can hold of an answer, without what wraps it. */
const inCell = (text = 'nothing'): string =>
  text
    .replace(/^.*?"(content|output)":/, '')
    .replaceAll(/[|\n]/g, ' ')
    .slice(0, 80);

/** What the program said at the end of the turn of `cutScript`. */
export const afterCut = (output: string): string =>
  /It (.*reads (?:on|no more))\./.exec(output)?.[1] ?? 'the turn has no end';

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
export function judgeTools(model: ScriptedModel, listed: readonly Listed[]) {
  const wrong: string[] = [];
  const { tools: sentTools, whole, answers } = model.last();
  const offered = listed.map(({ name }) => offeredAs(sentTools, name));
  const missing = listed.filter(({ name }) => !new RegExp(`[^A-Za-z]${name}\\b`).test(whole));
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
  return { wrong, tools, isLooseTaken: answers[0]?.includes('room device') ?? false };
}

/** The longest wait of `scriptOf` is answered. */
export function judgeWait(model: ScriptedModel): string[] {
  const wait = model.last().answers[4];
  return isWhole(wait) ? [] : [`of a wait of ${LONGEST_S} s it hears ${inCell(wait)}`];
}

const Calls = z.array(
  z.object({
    toolName: z.string(),
    status: z.string(),
    clientName: z.string(),
    clientVersion: z.string(),
    durationMs: z.coerce.number(),
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
  { isLooseTaken, isWaiting }: { isLooseTaken: boolean; isWaiting: boolean },
): Promise<{ wrong: string[]; named: string; waited: string; calls: string }> {
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
  // Resources beside them are views; a proposal that asks its program for more is called again with the answer. Waits
  // are judged by what the model hears of them.
  const tools = rows.filter(
    ({ toolName }) => !toolName.includes('://') && toolName !== 'waitForEvents',
  );
  const rounds = tools.filter(({ toolName }, at) => toolName !== tools[at - 1]?.toolName);
  const calls = rounds.map(({ toolName, status }) => `${toolName} ${status}`);
  if (calls.join() !== expected.map((name) => `${name} SUCCESS`).join())
    wrong.push(`its calls are ${calls.join(', ') || 'none'}`);
  const named = [...new Set(rows.map((row) => `${row.clientName} ${row.clientVersion}`))].join(
    ', ',
  );
  const waits = rows.filter(({ toolName }) => toolName === 'waitForEvents');
  const longest = Math.max(0, ...waits.map(({ durationMs }) => durationMs));
  const waited = isWaiting ? `${Math.round(longest / 1_000)} s` : '';
  const pending = Pending.parse(await person.data('/api/v3/agentic/action/pending'));
  const [action] = pending;
  if (!action || pending.length > 1 || action.proposedValue !== '21') {
    wrong.push(`${pending.length} proposals wait`);
    return { wrong, named, waited, calls: String(rows.length) };
  }
  const said = `It holds 20; ${action.actionId} is PENDING.`;
  if (!output.includes(said))
    wrong.push(`it does not say “${said}” but ${output.trim().slice(-300)}`);
  const actions = actionsIn(world, person);
  if ((await actions.commandsOf(action.actionId)).length > 0) wrong.push('something was written');
  const { receipt } = Confirmed.parse(await confirmSeen(person, action.actionId, 10_000));
  if (receipt.verification !== 'VERIFIED') wrong.push(`confirmed, it is ${receipt.verification}`);
  return { wrong, named, waited, calls: String(rows.length) };
}

import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import { onboard } from '../../devices/plant.ts';
import type { Random } from '../../hostile/random.ts';
import { ACTIONS, actionsIn } from '../../people/actions.ts';
import { bearerFor } from '../../people/bearer.ts';
import { asking } from '../../people/mcp-2026.ts';
import type { World } from '../../world/app.ts';
import { type Credential, credentials } from './credentials.ts';

const SCOPE = 'svc:read svc:propose';
const URL_ONLY = { elicitation: { url: {} } };
const ACCEPTED = { review: { action: 'accept', content: { confirm: true } } };
/** Of one proposal, so that none expires in between. */
const PER_PROPOSAL = 50;
const Asked = z.looseObject({ requestState: z.string() });

type Target = {
  actionId: string;
  digest: string;
  call: { name: string; arguments: Record<string, unknown> };
  requestState: string;
};
type Attempt = (
  world: World,
  credential: Credential,
  target: Target,
  random: Random,
) => Promise<number>;

export type Forged = { attempts: number; statuses: Map<string, number>; wrong: string[] };

/** Tries `count` confirmations without an interactive login of the tenant; judges by the tables. */
export async function forge(world: World, random: Random, count: number): Promise<Forged> {
  const plant = await onboard(world.admin);
  const proposer = await bearerFor(world.admin, { scope: SCOPE });
  const actions = actionsIn(world, world.admin);
  const all = await credentials(world, proposer);
  const statuses = new Map<string, number>();
  const wrong: string[] = [];
  const propose = async (value: number): Promise<Target> => {
    const given = { deviceId: plant.deviceId, pointId: plant.target, value };
    const call = { name: 'writePointValue', arguments: given };
    const { result } = await asking(world.base, proposer, URL_ONLY)('tools/call', call);
    const { requestState } = Asked.parse(result);
    const actionId = /review\/([0-9a-f-]{36})/.exec(JSON.stringify(result))?.[1] ?? '';
    const { digest } = await actions.actionOf(actionId);
    return { actionId, digest, call, requestState };
  };
  for (let at = 0; at < count;) {
    const target = await propose(5 + at / PER_PROPOSAL / 10);
    for (const end = Math.min(count, at + PER_PROPOSAL); at < end; at += 1) {
      const credential = all[at % all.length];
      const attempt = attempts[Math.floor(at / all.length) % attempts.length];
      if (!credential || !attempt) throw new Error('nothing to try');
      const status = await attempt(world, credential, target, random);
      const outcome = `${credential.kind}: ${status}`;
      statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
    }
    const commands = await actions.commandsOf(target.actionId);
    const { status } = await actions.actionOf(target.actionId);
    if (commands.length > 0) wrong.push(`${target.actionId}: ${commands.length} commands`);
    if (status !== 'PENDING') wrong.push(`${target.actionId}: ${status}`);
    await actions.decide('reject', target.actionId);
  }
  return { attempts: count, statuses, wrong };
}

const confirm =
  (body: (target: Target, random: Random) => object, verb = 'confirm'): Attempt =>
  async ({ base }, { headers }, target, random) => {
    const response = await fetch(`${base}${ACTIONS}/${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body(target, random)),
      signal: AbortSignal.timeout(30_000),
    });
    await response.arrayBuffer();
    return response.status;
  };

/** Over MCP, which takes bearer tokens only. */
const overMcp =
  (method: string, params: (target: Target, random: Random) => Record<string, unknown>): Attempt =>
  async ({ base }, { headers }, target, random) => {
    const token = headers['authorization']?.slice('Bearer '.length) ?? 'none';
    const capabilities = { ...URL_ONLY, extensions: { 'io.modelcontextprotocol/tasks': {} } };
    try {
      const said = await asking(base, token, capabilities)(method, params(target, random));
      return said.status;
    } catch {
      // A refusal of the token is no answer of the protocol.
      return 401;
    }
  };

/** With one character changed. */
function tampered(text: string, random: Random): string {
  const at = random.upTo(text.length);
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
}

const attempts: readonly Attempt[] = [
  confirm(({ actionId, digest }) => ({ action_id: actionId, digest })),
  confirm(({ actionId }) => ({ action_id: actionId.toUpperCase() })),
  confirm(({ actionId, digest }, random) => ({
    action_id: actionId,
    digest: tampered(digest, random),
    wait_ms: 10,
  })),
  confirm(({ actionId, digest }) => ({
    action_id: actionId,
    digest,
    via: 'login',
    decided_by: '1',
    comment: 'approved by a human',
  })),
  confirm(({ actionId }) => ({ action_id: actionId }), 'reject'),
  overMcp('tools/call', ({ call, requestState }) => ({
    ...call,
    requestState,
    inputResponses: ACCEPTED,
  })),
  overMcp('tools/call', ({ call, requestState }, random) => ({
    ...call,
    requestState: tampered(requestState, random),
    inputResponses: ACCEPTED,
  })),
  overMcp('tools/call', ({ call, requestState }) => ({
    ...call,
    arguments: { ...call.arguments, value: 29, confirm: true },
    requestState,
    inputResponses: ACCEPTED,
  })),
  overMcp('tasks/update', ({ actionId }) => ({ taskId: actionId, inputResponses: ACCEPTED })),
  overMcp('tasks/update', () => ({ taskId: randomUUID(), inputResponses: ACCEPTED })),
  overMcp('tools/call', ({ actionId, digest }) => ({
    name: 'confirmAction',
    arguments: { actionId, digest },
  })),
  overMcp('tools/call', ({ actionId }) => ({
    name: 'lookupActionById',
    arguments: { actionId },
    inputResponses: ACCEPTED,
  })),
];

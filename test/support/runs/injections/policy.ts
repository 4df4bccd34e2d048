import { z } from 'zod';

import { type Ask, asking } from '../../people/mcp-2026.ts';

/** What an instruction asks for. */
type Order = { value: string; pointId: string; deviceId: string };
const ORDER = /write (\S+) to (\d+) of (\d+)/i;

export type Obeyed = {
  /** Whether the answer held an order. */
  isRead: boolean;
  /** Of proposals that it made. */
  actionIds: string[];
  /** Everything that it was answered. */
  heard: string;
  /** Attempts to decide that were not refused. */
  decided: string[];
};

const URL_ONLY = { elicitation: { url: {} } };
/** Where a person would read secrets, or decide. */
const READS = [
  'agentic/provider/list',
  'agentic/model/config/list',
  'auth/key/list',
  'auth/user/list',
];
const DECIDES = ['agentic/action/confirm', 'agentic/action/reject'];

/**
 * An agent without judgement: it does what any text of an answer says, and all that could be meant by it: it proposes the
 * write, says yes to every question, confirms with its own token, reads `foreign` ids and what may hold secrets.
 */
export async function obey(
  base: string,
  token: string,
  answer: string,
  foreign: readonly [tool: string, input: object][],
): Promise<Obeyed> {
  const found = ORDER.exec(answer);
  const obeyed: Obeyed = { isRead: found !== null, actionIds: [], heard: answer, decided: [] };
  if (!found) return obeyed;
  const [, value = '', pointId = '', deviceId = ''] = found;
  const ask = asking(base, token, URL_ONLY);
  const hear = async (said: Promise<unknown>): Promise<string> => {
    const text = JSON.stringify(await said);
    obeyed.heard += `\n${text}`;
    return text;
  };
  const actionId = await proposed(ask, { value, pointId, deviceId }, hear);
  if (actionId !== null) {
    obeyed.actionIds.push(actionId);
    for (const path of DECIDES) {
      const body = { action_id: actionId, digest: /"digest":"(\w+)"/.exec(obeyed.heard)?.[1] };
      const { status } = await over(base, token, path, body);
      if (status < 400) obeyed.decided.push(path);
    }
    await hear(ask('tasks/update', { taskId: actionId, inputResponses: ACCEPTED }));
    await hear(ask('tools/call', { name: 'confirmAction', arguments: { actionId } }));
  }
  for (const [name, input] of foreign) await hear(ask('tools/call', { name, arguments: input }));
  for (const path of READS) await hear(over(base, token, path, {}));
  return obeyed;
}

const ACCEPTED = { review: { action: 'accept', content: { confirm: true } } };
const Asked = z.looseObject({ requestState: z.string() });

/** Proposes, and says yes where it is asked; the id of the proposal. */
async function proposed(
  ask: Ask,
  order: Order,
  hear: (said: Promise<unknown>) => Promise<string>,
): Promise<string | null> {
  const call = { name: 'writePointValue', arguments: order };
  const first = await hear(ask('tools/call', call));
  const asked = Asked.safeParse(z.object({ result: z.unknown() }).parse(JSON.parse(first)).result);
  const last = asked.success
    ? await hear(
        ask('tools/call', {
          ...call,
          inputResponses: ACCEPTED,
          requestState: asked.data.requestState,
        }),
      )
    : first;
  return /"actionId":"([0-9a-f-]{36})"/.exec(last)?.[1] ?? null;
}

async function over(base: string, token: string, path: string, body: object) {
  const response = await fetch(`${base}/api/v3/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  return { status: response.status, text: await response.text() };
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

import { z } from 'zod';

import type { Reply } from '../../neighbours/model.ts';
import { type Asked, type Offered, type Result, type Wire, wires } from './wires.ts';

/** What a model says in a step: a call of a tool of the platform, or words, which end the turn. */
export type Step = { tool: string; args: object } | { text: string };

/** Says the next step from what the steps before it answered. */
export type Script = (results: readonly string[]) => Step;

/** A model on loopback that speaks every dialect and plays a script. */
export type ScriptedModel = {
  url: string;
  /** Plays this from now on. */
  play(script: Script): void;
  /** The last request that knew of the platform's tools since `play`, with its whole text and what its steps answered. */
  last(): { tools: Offered[]; whole: string; answers: string[] };
  /** What it could not read since `play`. */
  refused: string[];
  stop(): Promise<void>;
};

/** Of a call that looks a tool up, which is no step of the script. */
const LOOK_UP = 'lookup';

/** What a program calls a tool: the name after the program's own prefix. */
const named = (name: string): RegExp => new RegExp(`(^|[^A-Za-z])${name}$`);
export const offeredAs = (tools: readonly Offered[], name: string): Offered | undefined =>
  tools.find((one) => named(name).test(one.name));

export async function startScriptedModel(): Promise<ScriptedModel> {
  let script: Script = () => ({ text: 'There is no script.' });
  let last: ReturnType<ScriptedModel['last']> = { tools: [], whole: '', answers: [] };
  const refused: string[] = [];
  const answered = (wire: Wire, body: unknown): Reply => {
    // Without escapes: a line break before a name is no letter of it.
    const whole = JSON.stringify(body).replaceAll(/\\./g, ' ');
    const one = wire.read(body);
    if (!/[^A-Za-z]searchDevices\b/.test(whole)) return wire.say('Room');
    const steps = one.results.filter(({ callId }) => !callId.startsWith(LOOK_UP));
    const answers = steps.map(({ text }) => text);
    last = { tools: one.tools, whole, answers };
    const step = script(answers);
    if ('text' in step) return wire.say(step.text);
    return calling(wire, one, step, `call_${answers.length}`, whole);
  };
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url ?? '';
      const body: unknown = request.method === 'POST' ? await json(request) : null;
      const wire = wires.find((one) => one.path.test(path));
      if (wire && body !== null) await answered(wire, body)(response);
      else response.setHeader('content-type', 'application/json').end(JSON.stringify(ABOUT));
    })().catch((error: unknown) => {
      refused.push(`${request.url}: ${String(error)}`);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: String(error) } }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    play(next) {
      script = next;
      last = { tools: [], whole: '', answers: [] };
      refused.length = 0;
    },
    last: () => last,
    refused,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Calls a tool as the program wants it: by itself, or, where it is deferred, found first and called through another. */
function calling(
  wire: Wire,
  { tools, results }: Asked,
  { tool: name, args }: { tool: string; args: object },
  callId: string,
  whole: string,
): Reply {
  const direct = offeredAs(tools, name);
  if (direct) return wire.call(callId, direct, args);
  const full = new RegExp(`\\w*[^A-Za-z\\s]${name}\\b`).exec(whole)?.[0] ?? name;
  const search = tools.find((one) => /^tool_?search$/i.test(one.name));
  const through = tools.find((one) => one.name === 'tool_call');
  const isFound = results.some((one) => isLookUpOf(one, name));
  if (search && !isFound)
    return wire.call(`${LOOK_UP}_${name}`, search, { query: `select:${full}` });
  if (through) return wire.call(callId, through, { name: full, arguments: args });
  return wire.say(`There is no tool ${name}.`);
}

const isLookUpOf = ({ callId }: Result, name: string): boolean => callId === `${LOOK_UP}_${name}`;

/** What answers questions beside turns: listings of models and counts of tokens, in any dialect. */
const ABOUT = { object: 'list', data: [], models: [], input_tokens: 7, totalTokens: 7 };

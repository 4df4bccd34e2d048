import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import { ACTION_STATUS } from '../../../../src/agentic/action/kind/status.ts';
import { chat, chatFrames } from '../../people/chat.ts';
import type { Plant } from './plant.ts';
import type { Task } from './task.ts';

/** What came of a task, in words that are the same in every tenant and dialect. */
export type Result = {
  task: Task;
  /** What is not as it must be; empty when all of it is. */
  wrong: string[];
  /** Answers, trace and final state, ids and times replaced: byte-identical in every dialect. */
  domain: string;
};

const Card = z.looseObject({ proposedValue: z.string() });
const ToolEnd = z.looseObject({ name: z.string(), status: z.string() });
const Chunk = z.looseObject({
  choices: z.array(z.looseObject({ delta: z.looseObject({ content: z.string().optional() }) })),
  x_svc: z.looseObject({ type: z.string() }).optional(),
});
const NAMES = new Map(
  Object.entries(ACTION_STATUS).map(([name, number]) => [number as number, name]),
);

type Heard = { text: string; trace: string[] };

/** Plays a task in a conversation of its own, every second one streamed, and judges it. */
export async function run(plant: Plant, task: Task, isStreamed: boolean): Promise<Result> {
  const conversationId = randomUUID();
  const before = await plant.state();
  const texts: string[] = [];
  const trace: string[] = [];
  for (const { user, model, decision } of task.turns) {
    plant.vendor.play(model);
    const heard = await (isStreamed ? streamed : whole)(plant, user, conversationId);
    texts.push(heard.text);
    trace.push(...heard.trace);
    const newest = (await plant.state()).actions.at(-1)?.actionId ?? '';
    if (decision === 'confirm') await plant.confirm(newest);
    if (decision === 'reject') await plant.reject(newest);
  }
  const after = await plant.state();
  const actions = after.actions
    .slice(before.actions.length)
    .map(({ status, payload }) => [NAMES.get(status) ?? '?', Card.parse(payload).proposedValue]);
  const commands = after.commands
    .slice(before.commands.length)
    .map(({ requestValue }) => String(requestValue));
  await plant.clear();
  const said = texts.join('\n');
  const wrong = [
    ...differs('trace', trace, task.trace),
    ...differs('actions', actions, task.actions),
    ...differs('commands', commands, task.commands),
    ...task.facts.filter((fact) => !said.includes(fact)).map((fact) => `not said: ${fact}`),
  ];
  if (wrong.length > 0) wrong.push(`said: ${said}`);
  return { task, wrong, domain: neutral(JSON.stringify({ texts, trace, actions, commands })) };
}

async function whole({ session }: Plant, user: string, conversationId: string): Promise<Heard> {
  const { text, events } = await chat(session, user, { conversationId });
  return { text, trace: events.flatMap(traced) };
}

async function streamed({ session }: Plant, user: string, conversationId: string): Promise<Heard> {
  const { data, raw } = await chatFrames(session, user, { conversationId });
  if (raw.includes('data: {"error"')) throw new Error(raw);
  const chunks = data.filter((one) => one !== '[DONE]').map((one) => Chunk.parse(JSON.parse(one)));
  return {
    text: chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''),
    trace: chunks.flatMap(({ x_svc }) => (x_svc ? traced(x_svc) : [])),
  };
}

function traced(event: { type: string }): string[] {
  if (event.type !== 'tool.end') return [];
  const { name, status } = ToolEnd.parse(event);
  return [`${name} ${status}`];
}

const differs = (what: string, is: unknown, must: unknown): string[] =>
  JSON.stringify(is) === JSON.stringify(must)
    ? []
    : [`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(must)}`];

/** Ids, times, ages and digests are those of a run. */
const neutral = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d| UTC)?/g, '<time>')
    .replaceAll(/(ageS\\*":)\d+/gi, '$1<age>')
    .replaceAll(/(Id\\*":\\*")\d+/g, '$1<id>')
    .replaceAll(/((?:device|point)Id) \d+/g, '$1 <id>')
    .replaceAll(/(?:less than )?\d+ (?:s|min|h) old/g, '<age> old')
    .replaceAll(/eval-(?:openai|anthropic)/g, '<tenant>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '<host>');

import { ZodError } from 'zod';

import { calledTool } from '../../../../src/auth/connection/called-tool.ts';
import { AppError } from '../../../../src/kernel/errors.ts';
import { toolNamed } from '../../../tools/agent.ts';
import { createRandom } from '../../hostile/random.ts';
import { type Call, proposingCalls, readingCalls } from './calls.ts';
import type { Plant } from './plant.ts';
import { ways } from './spell.ts';

/** Ways that change the same keys are not mixed. */
const RENAMES = [
  'snake_case',
  'PascalCase',
  'kebab-case',
  'a field without Id',
  'all in one object',
];

/** What they answer changes with each proposal. */
const CHANGING = ['waitForEvents', 'getHandover', 'searchActions', 'searchChanges'];

type Tally = { tried: number; understood: number; refused: number; otherwise: number };
export type Spelled = {
  tallies: Map<string, Tally>;
  understood: number;
  refused: string[];
  otherwise: string[];
};
type Answer = { ok: true; text: string; actionId?: string } | { ok: false; why: string };

/**
 * `count` spellings of right calls, one to three ways at once, each compared with what the call as it is meant answers; of a
 * proposal, that it is the same one.
 */
export async function spelledCalls(plant: Plant, seed: number, count: number): Promise<Spelled> {
  const random = createRandom(seed);
  const reading = readingCalls(plant);
  const proposing = proposingCalls(plant);
  const meant = new Map<Call, Answer>();
  const all: Spelled = { tallies: new Map(), understood: 0, refused: [], otherwise: [] };
  for (let tried = 0; tried < count;) {
    const call = random.pick(random.chance(0.7) ? reading : proposing);
    const spelling = spelledOf(call, plant, random);
    if (spelling === null) continue;
    tried += 1;
    const right = meant.get(call) ?? (await answerOf(plant, call));
    if (!CHANGING.includes(call.tool)) meant.set(call, right);
    if (!right.ok) throw new Error(`${call.tool} ${JSON.stringify(call.args)}: ${right.why}`);
    const asked = askedOf(random, { tool: call.tool, args: spelling.args });
    const answer = await answerOf(plant, asked);
    const shown = `${asked.tool} ${JSON.stringify(asked.args)}`;
    const end = !answer.ok ? 'refused' : isSame(answer, right) ? 'understood' : 'otherwise';
    if (end === 'understood') all.understood += 1;
    else all[end].push(answer.ok ? shown : `${shown}: ${answer.why}`);
    for (const name of spelling.names) {
      const tally = all.tallies.get(name) ?? { tried: 0, understood: 0, refused: 0, otherwise: 0 };
      all.tallies.set(name, tally);
      tally.tried += 1;
      tally[end] += 1;
    }
  }
  return all;
}

function spelledOf(call: Call, plant: Plant, random: ReturnType<typeof createRandom>) {
  const names: string[] = [];
  let { args } = call;
  for (let more = 1 + random.upTo(3), turn = 0; names.length < more && turn < 12; turn += 1) {
    const name = random.pick(Object.keys(ways));
    const isRename = RENAMES.includes(name);
    if (names.includes(name) || (isRename && names.some((one) => RENAMES.includes(one)))) continue;
    // What is renamed has no fields of the tool any more.
    if (isRename && turn < 8) continue;
    if (names.some((one) => RENAMES.includes(one))) break;
    const next = ways[name]?.(random, { ...call, args }, plant) ?? null;
    if (next === null || JSON.stringify(next) === JSON.stringify(args)) continue;
    args = next;
    names.push(name);
  }
  return names.length === 0 ? null : { args, names };
}

/** A found tool is called by its own name, or through the tool that leads to it. */
function askedOf(random: ReturnType<typeof createRandom>, { tool, args }: Call): Call {
  const { listed, annotations } = toolNamed(tool);
  if (listed === 'direct' || random.chance(0.5)) return { tool, args };
  const opener = annotations.readOnlyHint ? 'runTool' : 'proposeTool';
  const json = JSON.stringify(args);
  const snake = tool.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const name = random.pick<unknown>([tool, tool, snake, `"${tool}"`, [tool]]);
  const given = random.pick<unknown>([
    args,
    json,
    ` ${json} `,
    JSON.stringify(json),
    `\`\`\`json\n${json}\n\`\`\``,
    [args],
  ]);
  const call = random.pick([
    { name, arguments: given },
    { Name: name, Arguments: given },
    { arguments: { name: tool, arguments: given } },
    { input: JSON.stringify({ name, arguments: given }) },
  ]);
  return { tool: opener, args: call };
}

const isSame = (answer: Answer, right: Answer): boolean =>
  answer.ok &&
  right.ok &&
  (right.actionId === undefined ? answer.text === right.text : answer.actionId === right.actionId);

export async function answerOf({ world, agent }: Plant, { tool, args }: Call): Promise<Answer> {
  try {
    const called = calledTool(world.app.tools, tool, args);
    if (!called.tool) return { ok: false, why: 'no such tool' };
    const { readAs: _, ...answer } = await called.tool.run(world.app, agent, called.input);
    // An honest nothing, with what there is instead.
    if (answer['total'] === 0 && 'units' in answer) return { ok: false, why: 'no such unit' };
    const actionId = answer['actionId'];
    return {
      ok: true,
      text: JSON.stringify(answer),
      ...(typeof actionId === 'string' && { actionId }),
    };
  } catch (error) {
    if (error instanceof ZodError)
      return {
        ok: false,
        why: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
      };
    if (error instanceof AppError) return { ok: false, why: error.message };
    throw error;
  }
}

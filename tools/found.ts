import { z } from 'zod';

import { rankTools } from '../src/auth/agent/rank-tools.ts';
import { denialOf } from '../src/auth/connection/denial.ts';
import type { MeantCall, Tool } from '../src/kernel/app/app.ts';
import { BadRequest } from '../src/kernel/errors.ts';
import { isMembers } from '../src/kernel/input/absent.ts';
import { inputSchema } from '../src/kernel/input/json-schema.ts';
import { Text } from '../src/kernel/input/text.ts';
import { lenient } from './given/lenient.ts';
import { jsonIn, optionOf } from './given/spelled.ts';
import { defineTool, PROPOSES, READS_DEVICE, READS } from './shape/define.ts';

/** Described in one answer: five of the longest stay within 1,500 tokens. */
const MAX_DESCRIBED = 5;
const MAX_NAMED = 50;
/** Titles in the description, which is read with every question. */
const MAX_TITLES = 6;

// Not every client can map an object without fields: it is listed as a text, and taken as an object too.
const Arguments = z
  .unknown()
  .transform((given, { addIssue }) => {
    const fields = fieldsIn(given);
    if (fields) return fields;
    addIssue('has to be one JSON object');
    return z.NEVER;
  })
  .meta({ type: 'string' });

const Call = z.strictObject({
  name: z.string().max(64).describe('From searchTools'),
  arguments: Arguments.optional().describe('As its inputSchema says, as JSON'),
});

/**
 * The tools that the list leaves out are found by words and called by name. Such a call is the call of the tool it names:
 * its permission, scope, place in the list of a connection, audit, budgets and view are those of that tool.
 */
export function withDiscovery(tools: readonly Tool[]): readonly Tool[] {
  const names = tools.map(({ name }) => name);
  const found = tools.filter(({ listed }) => listed === 'found');
  const [reading, proposing] = [true, false].map((reads) =>
    found.filter(({ annotations }) => annotations.readOnlyHint === reads),
  );
  return [
    ...tools,
    ...(found.length > 0 ? [searchFor(found)] : []),
    ...(reading?.length ? [runFor(reading, names)] : []),
    ...(proposing?.length ? [proposeFor(proposing, names)] : []),
  ];
}

const searchFor = (tools: readonly Tool[]): Tool => ({
  ...defineTool({
    name: 'searchTools',
    title: 'Find more tools',
    domain: 'System',
    listed: 'direct',
    description: `Finds tools that are not in this list, with their arguments. Among them: ${tools
      .slice(0, MAX_TITLES)
      .map(({ title }) => title)
      .join(', ')}.`,
    permission: '',
    scope: 'svc:read',
    input: z.strictObject({
      words: Text(200).default('').describe('What for; none: any'),
    }),
    output: z.object({
      tools: z.array(
        z.object({
          name: z.string(),
          title: z.string(),
          description: z.string(),
          proposes: z.boolean(),
          callWith: z.enum(['runTool', 'proposeTool']),
          inputSchema: z.record(z.string(), z.unknown()),
        }),
      ),
      others: z.array(z.string()),
    }),
    annotations: READS,
    async run(_app, caller, { words }) {
      const allowed = tools.filter((tool) => denialOf(caller, tool) === null);
      const described = rankTools(allowed, words).slice(0, MAX_DESCRIBED);
      const others = allowed.filter((tool) => !described.includes(tool));
      return {
        tools: described.map(({ annotations: { readOnlyHint }, ...tool }) => ({
          name: tool.name,
          title: tool.title,
          description: tool.description,
          proposes: !readOnlyHint,
          callWith: readOnlyHint ? ('runTool' as const) : ('proposeTool' as const),
          inputSchema: inputSchema(tool),
        })),
        others: others.slice(0, MAX_NAMED).map(({ name }) => name),
      };
    },
  }),
  opens: { tools },
});

const runFor = (tools: readonly Tool[], names: readonly string[]): Tool => ({
  ...defineTool({
    name: 'runTool',
    title: 'Run a found tool',
    domain: 'System',
    description: 'Calls a reading tool that searchTools found, and answers as that tool does.',
    annotations: tools.some(({ annotations }) => annotations.openWorldHint) ? READS_DEVICE : READS,
    scope: 'svc:read',
    ...standIn(tools),
  }),
  opens: { tools, call: callAmong(names) },
});

const proposeFor = (tools: readonly Tool[], names: readonly string[]): Tool => ({
  ...defineTool({
    name: 'proposeTool',
    title: 'Propose with a found tool',
    domain: 'System',
    description:
      'Calls a proposing tool that searchTools found: nothing is done until a human confirms it.',
    annotations: PROPOSES,
    scope: 'svc:propose',
    ...standIn(tools),
  }),
  opens: { tools, call: callAmong(names) },
});

/** What both have; they run only to refuse arguments that name no call. */
const standIn = (tools: readonly Tool[]) => {
  const [view, ...others] = new Set(tools.map((tool) => tool.view));
  return {
    listed: 'direct' as const,
    permission: '',
    input: Call,
    output: z.looseObject({}),
    ...(view && others.length === 0 && { view }),
    run: () => Promise.reject(new BadRequest('The arguments name no tool')),
  };
};

/** The call that arguments mean, read as those of every tool; its name in any spelling of one of `names`. */
const callAmong =
  (names: readonly string[]) =>
  (given: unknown): MeantCall | null => {
    const { input, readAs } = lenient(Call, unwrappedCall(given));
    const { data } = Call.safeParse(input);
    if (!data) return null;
    const name = optionOf(names, data.name) ?? data.name;
    const read = name === data.name ? readAs : [...readAs, `name: ${name}`];
    return { name, input: data.arguments ?? {}, readAs: read };
  };

/** Of a call in `arguments` alone, that call: a wrapper that is no argument of a tool which has a name. */
function unwrappedCall(given: unknown): unknown {
  const call = fieldsIn(given);
  if (!call || Object.keys(call).length !== 1) return given;
  const inner = fieldsIn(call['arguments']);
  return inner && Call.safeParse(inner).success ? inner : given;
}

/** One object, as JSON in any form that models write it, or alone in a list; none for an empty text. */
function fieldsIn(given: unknown): Record<string, unknown> | null {
  if (typeof given === 'string' && given.trim() === '') return {};
  const read = typeof given === 'string' ? jsonIn(given, isFields) : given;
  const [only, ...others] = Array.isArray(read) ? read : [read];
  return isMembers(only) && others.length === 0 ? only : null;
}

const isFields = (value: unknown): value is object => typeof value === 'object' && value !== null;

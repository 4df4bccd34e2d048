import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import { toStrictJsonSchema } from 'openai/lib/transform';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inputSchema } from '../src/kernel/input/json-schema.ts';
import { lenient } from '../tools/given/lenient.ts';
import { tools } from '../tools/index.ts';

type Schema = Record<string, unknown>;
const Schemas = z.record(z.string(), z.record(z.string(), z.unknown()));
const Names = z.array(z.string()).default([]);
const MAX_DEPTH = 10;
/** Edits that a model does not confuse. */
const MIN_DISTANCE = 3;

/** As OpenAI's strict mode has optional fields: required, and null where they are left out. */
function strictly(schema: Schema): Schema {
  const { properties, items } = schema;
  const required = Names.parse(schema['required']);
  return {
    ...schema,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(Schemas.parse(properties)).map(([name, field]) => {
          const own = strictly(field);
          return [name, required.includes(name) ? own : { anyOf: [own, { type: 'null' }] }];
        }),
      ),
      required: Object.keys(Schemas.parse(properties)),
    }),
    ...(typeof items === 'object' && items !== null && { items: strictly({ ...items }) }),
  };
}

const depthOf = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : 1 + Math.max(0, ...Object.values(value).map(depthOf));

describe.each(tools.map((tool) => [tool.name, tool] as const))('%s', (_, tool) => {
  it("fits the strict mode of OpenAI, as the vendor's own client makes it", () => {
    const strict = toStrictJsonSchema(strictly(inputSchema(tool)));
    expect(strict).toMatchObject({ type: 'object', additionalProperties: false });
    expect(depthOf(strict)).toBeLessThanOrEqual(2 * MAX_DEPTH);
  });

  it('has nothing that breaks the grammars of local servers', () => {
    const schema = JSON.stringify(inputSchema(tool));
    expect(schema).not.toMatch(/"(?:pattern|\$ref)":/);
    const lengths = [...schema.matchAll(/"maxLength":(\d+)/g)].map(([, length]) => Number(length));
    expect(Math.max(0, ...lengths)).toBeLessThan(2_000);
  });

  it("fits the strict mode of Anthropic, as the vendor's own client makes it", () => {
    const { properties, ...strict } = transformJSONSchema({
      ...inputSchema(tool),
      type: 'object',
    });
    expect(strict).toMatchObject({ type: 'object', additionalProperties: false });
    expect(Object.keys(Schemas.parse(properties))).toEqual(
      Object.keys(Schemas.parse(inputSchema(tool)['properties'])),
    );
  });
});

/** Of each optional field what a program must send that has made every field required, as openai-agents does by `ensure_strict_json_schema`. */
const forced = (schema: Schema): [string, unknown][] =>
  Object.entries(Schemas.parse(schema['properties']))
    .filter(([name]) => !Names.parse(schema['required']).includes(name))
    .flatMap(([name, { type, enum: options, default: usual }]): [string, unknown][] => {
      if (options !== undefined) return [[name, usual ?? Symbol('none of the enumeration')]];
      if (type === 'string') return [[name, usual ?? '']];
      if (type === 'array') return [[name, []]];
      return type === 'boolean' ? [[name, usual ?? Symbol('neither true nor false')]] : [];
    });

describe.each(tools.map((tool) => [tool.name, tool] as const))('%s', (_, tool) => {
  it('leaves out what a program must fill that has made every field required', () => {
    const { shape } = tool.input;
    for (const [name, value] of forced(inputSchema(tool)))
      for (const given of [value, null]) {
        const { input } = lenient(tool.input, { [name]: given });
        const { [name]: read } = z.record(z.string(), z.unknown()).parse(input);
        const field = shape[name];
        expect(typeof given, name).not.toBe('symbol');
        expect(field?.safeParse(read).success, `${name}: ${JSON.stringify(given)}`).toBe(true);
        if (read !== '' && JSON.stringify(read) !== '[]')
          expect(field?.safeParse(read).data, name).toEqual(field?.safeParse(undefined).data);
      }
  });
});

it('has no names that are nearly the same', () => {
  const near = tools.flatMap(({ name }, at) =>
    tools
      .slice(at + 1)
      .filter((other) => distance(name, other.name) < MIN_DISTANCE)
      .map((other) => `${name} and ${other.name}`),
  );
  expect(near).toEqual([]);
});

/** Levenshtein's: insertions, deletions and replacements of letters. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [i, letter] of one.split('').entries()) {
    const next = [i + 1];
    for (const [j, letterThere] of other.split('').entries()) {
      const replaced = (row[j] ?? 0) + (letter === letterThere ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

import { expect, it } from 'vitest';
import { z } from 'zod';

import { Id, Uuid } from '../../src/kernel/input/id.ts';
import { inputSchema, outputSchema } from '../../src/kernel/input/json-schema.ts';

const schemaOf = (shape: z.ZodRawShape) => inputSchema({ input: z.strictObject(shape) });

it('keeps what a model needs: types, defaults, descriptions, what is required', () => {
  const schema = schemaOf({
    name: z.string().max(64).describe('Part of the name'),
    limit: z.int().min(1).max(20).default(10).describe('Records per page'),
    kind: z.enum(['a', 'b']),
    only: z.enum(['a', 'b']).optional().describe('Only these'),
    on: z.boolean().optional().describe('On or off'),
  });
  expect(schema).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Part of the name' },
      limit: {
        type: 'integer',
        default: 10,
        description: 'Records per page',
      },
      kind: { type: 'string', enum: ['a', 'b'] },
      // A program that must fill every field leaves these out with an empty text.
      only: { type: 'string', description: 'Only these: a, b' },
      on: { type: 'string', description: 'On or off: true, false' },
    },
    required: ['name', 'kind'],
    additionalProperties: false,
  });
});

it('drops what only costs tokens or what not every model takes: bounds, patterns, formats', () => {
  const schema = schemaOf({ count: z.int(), id: Uuid });
  expect(schema['properties']).toEqual({
    count: { type: 'integer' },
    id: { type: 'string' },
  });
});

it('shows an id as the string it is, although a number is taken as well', () => {
  expect(schemaOf({ id: Id.describe('Device id') })['properties']).toEqual({
    id: { type: 'string', description: 'Device id' },
  });
});

it('says in one word what may be null', () => {
  expect(schemaOf({ value: z.number().max(5).nullable() })['properties']).toEqual({
    value: { type: ['number', 'null'] },
  });
});

it('does not take a field for a keyword', () => {
  const schema = schemaOf({ pattern: z.string(), format: z.string(), required: z.int() });
  expect(Object.keys(z.object().loose().parse(schema['properties']))).toEqual([
    'pattern',
    'format',
    'required',
  ]);
});

it('shows of a result the names and types of its fields, and nothing of what is in them', () => {
  const output = z.object({
    say: z.string().max(9).describe('A sentence'),
    count: z.int().min(0),
    at: z.string().nullable(),
    place: z.object({ deviceId: z.string() }).nullable(),
    rows: z.array(z.object({ value: z.string() })),
    either: z.union([z.string(), z.literal(1)]),
    sometimes: z.string().optional(),
    done: z.literal(true),
  });
  expect(outputSchema({ output })).toEqual({
    type: 'object',
    properties: {
      say: { type: 'string' },
      count: { type: 'integer' },
      at: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      place: { anyOf: [{ type: 'object' }, { type: 'null' }] },
      rows: { type: 'array' },
      either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      done: { type: 'boolean' },
    },
  });
});

it('converts a schema once', () => {
  const tool = { input: z.object({}), output: z.object({ at: z.string() }) };
  expect(inputSchema(tool)).toBe(inputSchema(tool));
  expect(outputSchema(tool)).toBe(outputSchema(tool));
});

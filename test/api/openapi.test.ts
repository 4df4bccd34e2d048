import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { centers } from '../../src/gateway/mount/centers.ts';
import { openApi } from '../../src/gateway/openapi/document.ts';
import { fieldsOf } from '../support/cases/input-shape.ts';
import { onboard } from '../support/devices/plant.ts';
import { uploadFile } from '../support/people/upload.ts';
import { startWorld, type World } from '../support/world/app.ts';

const Operation = z.looseObject({
  operationId: z.string().min(1),
  tags: z.array(z.string().min(1)).min(1),
  summary: z.string().min(10),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.enum(['query', 'path', 'header']),
        required: z.boolean(),
        schema: z.looseObject({}),
      }),
    )
    .optional(),
  requestBody: z
    .object({
      required: z.boolean(),
      content: z.record(z.string(), z.object({ schema: z.looseObject({}) })),
    })
    .optional(),
  responses: z.record(z.string(), z.looseObject({})),
  security: z.array(z.record(z.string(), z.array(z.string()))),
});
const Document = z.object({
  openapi: z.literal('3.1.0'),
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  servers: z.array(z.object({ url: z.string() })),
  paths: z.record(
    z.string().startsWith('/'),
    z.partialRecord(z.enum(['get', 'post', 'delete']), Operation),
  ),
  components: z.object({
    schemas: z.record(z.string(), z.looseObject({})),
    responses: z.record(z.string(), z.looseObject({})),
    securitySchemes: z.record(
      z.string(),
      z.discriminatedUnion('type', [
        z.looseObject({
          type: z.literal('apiKey'),
          in: z.enum(['header', 'cookie']),
          name: z.string(),
        }),
        z.looseObject({ type: z.literal('http'), scheme: z.literal('bearer') }),
        z.looseObject({ type: z.literal('oauth2'), flows: z.looseObject({}) }),
      ]),
    ),
  }),
});
const Shape = z.looseObject({
  properties: z.record(z.string(), z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
});

const raw = openApi({ baseUrl: 'http://127.0.0.1:8000' });
const document = Document.parse(raw);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const rows = Object.entries(centers).flatMap(([center, routes]) =>
  routes.map((route) => ({ ...route, center, name: `${route.method} ${center}${route.path}` })),
);

/** Every `$ref` below a node, as JSON pointers. */
const refs = (node: unknown): string[] => {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' ? [String(value)] : refs(value),
  );
};
const at = (pointer: string): unknown =>
  pointer
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (node, key) => z.record(z.string(), z.unknown()).catch({}).parse(node)[key],
      raw,
    );

describe('the OpenAPI document', () => {
  it('refers only to what is in it', () => {
    expect(refs(raw).length).toBeGreaterThan(100);
    for (const ref of new Set(refs(raw))) {
      expect(ref).toMatch(/^#\//);
      expect(at(ref), ref).toBeDefined();
    }
  });

  it('names every operation once', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted());
  });

  it('asks only for security it declares, and for scopes that flow can give', () => {
    const known = Object.keys(document.components.securitySchemes);
    for (const { operation, path } of operations)
      for (const requirement of operation.security)
        for (const name of Object.keys(requirement)) expect(known, path).toContain(name);
  });

  it('lists chat, MCP, OAuth and health beside the tables', () => {
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        '/api/v3/agentic/chat/completions',
        '/mcp',
        '/oauth2/token',
        '/.well-known/oauth-protected-resource',
        '/healthz',
      ]),
    );
  });

  it.each(rows)('has $name with its permission, risk and every field', (route) => {
    const { center, method, path, needs, risk, summary, input } = route;
    const operation = document.paths[`/api/v3/${center}${path}`]?.[method];
    expect(operation).toMatchObject({ summary, 'x-ai-risk': risk });
    expect(operation?.['x-permission']).toBe(
      needs.includes(':') ? `svc-center-${center}:${needs}` : undefined,
    );
    expect(operation?.security.length === 0).toBe(needs === 'public');
    const content = operation?.requestBody?.content ?? {};
    const [type] = Object.keys(content);
    if (type) expect(type).toBe(route.file ? 'multipart/form-data' : 'application/json');
    const body = Shape.parse(Object.values(content)[0]?.schema ?? {});
    const shown = [
      ...(operation?.parameters ?? []).map(({ name }) => name),
      ...[body, ...(body.anyOf ?? [])].flatMap((s) => Object.keys(Shape.parse(s).properties ?? {})),
    ];
    // What is signed is the body as a whole.
    const fields = fieldsOf(input).filter(({ name }) => !(route.signed && name === 'signed'));
    expect(shown).toEqual(expect.arrayContaining(fields.map(({ name }) => name)));
  });
});

/** A request as the page fills it in: the first example of each field, else its first value. */
function filledIn(schema: unknown): unknown {
  const { examples, properties, required } = Field.parse(schema);
  if (examples) return examples[0];
  const fields = Object.entries(properties ?? {}).flatMap(([name, field]): [string, unknown][] => {
    const { examples: [example] = [], enum: [first] = [], type, ...rest } = Field.parse(field);
    const value = example ?? rest.default ?? first ?? rest.const;
    if (value !== undefined) return [[name, value]];
    if (!required?.includes(name)) return [];
    return [[name, type === 'boolean' ? true : type === 'array' ? [] : {}]];
  });
  return Object.fromEntries(fields);
}
const Choice = z.object({ anyOf: z.tuple([z.unknown(), z.object({ type: z.literal('null') })]) });
const Field = z.looseObject({
  type: z.unknown().optional(),
  examples: z.array(z.unknown()).optional(),
  enum: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
});
/** Every field below a node, with its name. */
const fieldsIn = (node: unknown): [string, unknown][] => {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => [
    ...(key === 'properties' ? Object.entries(Members.parse(value)) : []),
    ...fieldsIn(value),
  ]);
};
const Members = z.record(z.string(), z.unknown());
const fields = [
  ...fieldsIn(raw),
  ...operations.flatMap(({ operation }) =>
    (operation.parameters ?? []).map(({ name, schema }): [string, unknown] => [name, schema]),
  ),
];
const PARQUET = 'application/vnd.apache.parquet';
const ajv = new Ajv2020({ strict: false, validateFormats: false });

describe('its schemas', () => {
  it.each(rows)(
    'say what $name answers',
    ({ center, path, method, output, csv, parquet, download }) => {
      const operation = document.paths[`/api/v3/${center}${path}`]?.[method];
      const answered = operation?.responses['200'];
      const isTable = csv === 'answer' || csv === 'stream';
      const file = isTable ? 'text/csv' : parquet ? PARQUET : download ? '*/*' : null;
      if (file !== null)
        return expect(answered).toMatchObject({
          content: { [file]: { schema: { type: 'string' } } },
        });
      const data = fieldsIn(answered).find(([name]) => name === 'data')?.[1];
      if (output instanceof z.ZodVoid) expect(data).toBeUndefined();
      else expect(Object.keys(Members.parse(data))).not.toEqual([]);
    },
  );

  it('list the values of every enumeration', () => {
    const flags = fields.filter(([name]) => name.endsWith('Flag'));
    expect(flags.length).toBeGreaterThan(100);
    for (const [name, schema] of flags) {
      const { type, enum: values } = Field.parse(Choice.safeParse(schema).data?.anyOf[0] ?? schema);
      expect(values ?? type, name).toSatisfy((is) => is === 'boolean' || Array.isArray(is));
    }
  });

  it('have examples that are valid', () => {
    const shown = fields.filter(([, schema]) => Field.safeParse(schema).data?.examples);
    // Most fields share their schema, and each compilation goes through all components.
    for (const [text, same] of Map.groupBy(shown, ([, schema]) => JSON.stringify(schema))) {
      const schema: unknown = JSON.parse(text);
      const check = ajv.compile({ ...Members.parse(schema), components: document.components });
      for (const example of Field.parse(schema).examples ?? [])
        expect(check(example), `${same[0]?.[0]}: ${JSON.stringify(example)}`).toBe(true);
    }
  });

  it.each(rows.filter(({ file, signed }) => !file && !signed))(
    'have an example of all that $name needs',
    (route) => {
      const operation = document.paths[`/api/v3/${route.center}${route.path}`]?.[route.method];
      const parameters = operation?.parameters ?? [];
      const body = operation?.requestBody?.content['application/json']?.schema;
      const given = filledIn(
        body ?? {
          properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
          required: parameters.flatMap(({ name, required }) => (required ? [name] : [])),
        },
      );
      expect(route.input.safeParse(given).error).toBeUndefined();
    },
  );
});

describe('its server', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.stop());

  it('200: answers the document to anybody, with the routes that are really there', async () => {
    const served = Document.parse(await (await fetch(`${world.base}/v3/api-docs`)).json());
    expect(Object.keys(served.paths)).toEqual(Object.keys(document.paths));
    // Not one listed path is unknown to the server.
    for (const { path, method } of operations) {
      const response = await fetch(`${world.base}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(method === 'post' ? { body: '[]' } : {}),
      });
      const text = await response.text();
      expect(text, path).not.toContain('This path does not exist');
    }
  });

  it('says of values and receipts what they really hold', async () => {
    const plant = await onboard(world.admin);
    const latest = z
      .object({ records: z.array(z.record(z.string(), z.unknown())) })
      .parse(
        await world.admin.data('/api/v3/data/point_value/latest', { deviceId: plant.deviceId }),
      );
    const { required } = z
      .looseObject({ required: z.array(z.string()) })
      .parse(document.components.schemas['LatestValue']);
    expect(Object.keys(latest.records[0] ?? {}).toSorted()).toEqual(required.toSorted());
    const body = { deviceId: plant.deviceId, pointId: plant.temperature };
    const commandId = String(await world.admin.data('/api/v3/data/point_command/read', body));
    const receipt = await world.admin.data(
      '/api/v3/data/point_command_history/get_by_command_id',
      undefined,
      { commandId },
    );
    expect(Object.keys(z.looseObject({}).parse(receipt)).toSorted()).toEqual(
      z
        .looseObject({ required: z.array(z.string()) })
        .parse(document.components.schemas['Receipt'])
        .required.toSorted(),
    );
  });

  it('says of an attachment, and of how it is sent, what really holds', async () => {
    const { required } = z
      .looseObject({ required: z.array(z.string()) })
      .parse(document.components.schemas['Attachment']);
    const { body } = await uploadFile(world.admin, 'described', 'x');
    expect(Object.keys(z.looseObject({}).parse(body.data)).toSorted()).toEqual(required.toSorted());
    const upload = document.paths['/api/v3/agentic/attachment/upload']?.post;
    expect(upload?.parameters).toMatchObject([
      { name: 'conversationId', in: 'query', required: true },
    ]);
    expect(upload?.requestBody).toMatchObject({
      required: true,
      content: {
        'multipart/form-data': { schema: { properties: { file: { format: 'binary' } } } },
      },
    });
  });

  it('serves the page from its own files, with a policy without inline scripts', async () => {
    const page = await fetch(`${world.base}/swagger-ui.html`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
    const html = await page.text();
    expect(html).not.toMatch(/<script>|https?:\/\//);
    for (const [, path] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect((await fetch(`${world.base}${path}`)).status, path).toBe(200);
    }
  });
});

it('404: page and document are off where they are switched off', async () => {
  const world = await startWorld({ environment: { SVC_SWAGGER: 'off' } });
  try {
    for (const path of ['/v3/api-docs', '/swagger-ui.html', '/swagger-ui/swagger-ui-bundle.js']) {
      expect((await fetch(`${world.base}${path}`)).status, path).toBe(404);
    }
  } finally {
    await world.stop();
  }
});

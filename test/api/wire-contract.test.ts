import { readFileSync, writeFileSync } from 'node:fs';

import { expect, it } from 'vitest';
import { z } from 'zod';

import { openApi } from '../../src/gateway/openapi/document.ts';
import { rows as routes } from '../support/trips/rows.ts';

const FILE = new URL('wire-contract.json', import.meta.url);
const Row = z.strictObject({
  method: z.enum(['GET', 'POST']),
  path: z.string().startsWith('/'),
  permission: z.string().nullable(),
  web: z.boolean(),
  state: z.enum(['built', 'later']),
});
type Row = z.infer<typeof Row>;

const ownRight = 'Looking and changing are two rights: a permission says what its operation does';

/** Where another permission than the list's was chosen, with the reason. */
const settled: Record<string, { permission: string | null; why: string }> = {
  'POST /api/v3/data/point_command/read': {
    permission: 'svc-center-data:point_command:read',
    why: 'Reading a device and writing it are rights of their own (Interfaces, Permission codes)',
  },
  'POST /api/v3/data/point_command/write': {
    permission: 'svc-center-data:point_command:write',
    why: 'Reading a device and writing it are rights of their own (Interfaces, Permission codes)',
  },
  'POST /api/v3/agentic/action/confirm': {
    permission: 'svc-center-agentic:action:confirm',
    why: 'Who may confirm is a right of its own (Interfaces, Permission codes)',
  },
  'POST /api/v3/agentic/action/reject': {
    permission: 'svc-center-agentic:action:reject',
    why: 'Who may reject is a right of its own (Interfaces, Permission codes)',
  },
  'POST /api/v3/data/dashboard/alert/confirm': {
    permission: 'svc-center-data:alarm:confirm',
    why: ownRight,
  },
  'POST /api/v3/data/dashboard/alert/unconfirm': {
    permission: 'svc-center-data:alarm:confirm',
    why: ownRight,
  },
  'POST /api/v3/data/dashboard/alert/bulk_confirm': {
    permission: 'svc-center-data:alarm:confirm',
    why: ownRight,
  },
  'POST /api/v3/data/event_history/report': {
    permission: 'svc-center-data:event_history:add',
    why: ownRight,
  },
  'POST /api/v3/agentic/attachment/upload': {
    permission: 'svc-center-agentic:attachment:add',
    why: ownRight,
  },
  'POST /api/v3/auth/token/cancel': {
    permission: null,
    why: 'Everybody who is logged in may log out, whatever the roles',
  },
  'POST /api/v3/auth/token/check': {
    permission: null,
    why: 'Everybody who is logged in may ask whether the login still works',
  },
};

/** What the gateway offers beside the contract, with the reason; a route of a center says its own. */
const ofGateway: Record<string, string> = {
  'GET /healthz': 'Operation: the process answers',
  'GET /readyz': 'Operation: it can work',
  'POST /mcp': 'docs/specification/endpoints.md, Endpoints: outside /api/v3',
  'GET /.well-known/oauth-protected-resource':
    'docs/specification/endpoints.md, Endpoints: outside /api/v3',
  'GET /.well-known/oauth-protected-resource/api/v3':
    'RFC 9728: the same for the API, an audience of its own',
  'POST /oauth2/device_authorization': 'RFC 8628: a login without a browser',
  'GET /oauth2/device': 'RFC 8628: the page on which a person enters the code',
  'POST /api/v3/agentic/responses': 'The newer form of chat, over the same turns',
  'GET /api/v3/agentic/responses/{id}': "Where OpenAI's clients read a response again",
  'DELETE /api/v3/agentic/responses/{id}': "As OpenAI's clients forget one",
  'POST /api/v3/agentic/responses/{id}/cancel': 'Where they end one that is made in the background',
  'GET /api/v3/agentic/responses/{id}/input_items': "Where OpenAI's clients read what it was asked",
  'POST /api/v3/agentic/conversations': "As OpenAI's clients begin one",
  'GET /api/v3/agentic/conversations/{id}': "As OpenAI's clients read one",
  'POST /api/v3/agentic/conversations/{id}': "As OpenAI's clients set its metadata",
  'DELETE /api/v3/agentic/conversations/{id}': "As OpenAI's clients delete one",
  'GET /api/v3/agentic/conversations/{id}/items': "As OpenAI's clients read its messages",
  'POST /api/v3/agentic/conversations/{id}/items': "As OpenAI's clients add messages",
  'GET /api/v3/agentic/conversations/{id}/items/{item}': "As OpenAI's clients read a message",
  'GET /api/v3/agentic/chat/stream/{turnId}': 'docs/specification/assistant.md, Events of a turn',
  'GET /api/v3/agentic/models': "Where OpenAI's clients look for models",
  'GET /api/v3/agentic/models/{id}': "Where OpenAI's clients look for models",
  'GET /api/v3/data/live': 'docs/specification/endpoints.md, Live stream',
};

const { paths } = z
  .object({
    paths: z.record(
      z.string(),
      z.record(z.string(), z.looseObject({ 'x-permission': z.string().optional() })),
    ),
  })
  .parse(openApi({ baseUrl: '' }));
const built = new Map<string, string | null>(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) =>
        [`${method.toUpperCase()} ${path}`, operation['x-permission'] ?? null] as const,
    ),
  ),
);
const key = ({ method, path }: Row): string => `${method} ${path}`;

const rows = z.array(Row).parse(JSON.parse(readFileSync(FILE, 'utf8')));
if (process.env['UPDATE_WIRE'] === '1') {
  for (const row of rows) row.state = built.has(key(row)) ? 'built' : 'later';
  writeFileSync(FILE, `[\n${rows.map(lineOf).join(',\n')}\n]\n`);
}

/** As the formatter writes it: a row on one line where it fits. */
function lineOf(row: Row): string {
  const members = Object.entries(row).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`);
  const line = `  { ${members.join(', ')} }`;
  return line.length < 100 ? line : `  {\n    ${members.join(',\n    ')}\n  }`;
}

it('says of every endpoint whether it is built (UPDATE_WIRE=1 says it anew)', () => {
  const wrong = rows.filter((row) => (row.state === 'built') !== built.has(key(row)));
  expect(wrong.map(key)).toEqual([]);
  const all = rows.filter(({ state }) => state === 'built');
  const web = rows.filter((row) => row.web);
  console.log(
    `wire contract: ${all.length} of ${rows.length} endpoints built, ` +
      `${web.filter(({ state }) => state === 'built').length} of the ${web.length} the web client calls`,
  );
  for (const center of ['auth', 'manager', 'data', 'agentic']) {
    const own = web.filter(({ path }) => path.startsWith(`/api/v3/${center}/`));
    const missing = own.filter(({ state }) => state === 'later');
    console.log(
      `  ${center}: ${own.length - missing.length} of ${own.length}` +
        (process.env['WIRE_MISSING'] ? missing.map((row) => `\n    ${key(row)}`).join('') : ''),
    );
  }
});

it.each(rows.filter(({ state }) => state === 'built').map((row) => [key(row), row] as const))(
  '%s asks for the permission of the contract',
  (name, row) => {
    const exception = settled[name];
    expect(built.get(name)).toBe(exception ? exception.permission : row.permission);
  },
);

it('makes no exception that is not one', () => {
  const same = rows.filter((row) => settled[key(row)]?.permission === row.permission);
  expect(same.map(key)).toEqual([]);
  expect(Object.keys(settled).filter((name) => !rows.some((row) => key(row) === name))).toEqual([]);
});

it('lists what is offered beside the contract', () => {
  const listed = new Set(rows.map(key));
  const beside = [...built.keys()].filter((name) => !listed.has(name));
  const own = routes.filter(({ reason }) => reason !== undefined).map(({ name }) => name);
  expect(beside.toSorted()).toEqual([...Object.keys(ofGateway), ...own].toSorted());
});

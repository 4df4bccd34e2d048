import { readFileSync, writeFileSync } from 'node:fs';

import { expect, it } from 'vitest';
import { z } from 'zod';

import { openApi } from '../../src/gateway/openapi/document.ts';

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

/** What we offer beside the contract, with the reason. */
const ours: Record<string, string> = {
  'GET /healthz': 'Operation: the process answers',
  'GET /readyz': 'Operation: it can work',
  'POST /mcp': 'docs/specification/endpoints.md, Endpoints: outside /api/v3',
  'GET /.well-known/oauth-protected-resource':
    'docs/specification/endpoints.md, Endpoints: outside /api/v3',
  'GET /.well-known/oauth-protected-resource/api/v3':
    'RFC 9728: the same for the API, an audience of its own',
  'POST /api/v3/data/change/list':
    'Who changed what: configuration, decisions and writes in one list',
  'POST /api/v3/auth/mcp/switch/hold_tried': 'docs/specification/identity.md, Refusals',
  'POST /api/v3/auth/mcp/switch/lift': 'docs/specification/identity.md, Refusals',
  'POST /api/v3/data/change/export': 'docs/specification/change-log.md',
  'POST /api/v3/auth/identity_audit/export': 'docs/specification/identity.md, Accounts',
  'POST /api/v3/auth/mcp/audit/export': 'docs/specification/identity.md, Accounts',
  'GET /api/v3/agentic/action/get': 'One action with its card and what became of its command',
  'POST /api/v3/agentic/action/search': 'Proposals with their decisions, page by page, for people',
  'POST /api/v3/agentic/action/withdraw': 'A proposer takes back what nobody decided yet',
  'POST /api/v3/agentic/responses': 'The newer form of chat, over the same turns',
  'POST /api/v3/agentic/approval/preview': 'docs/specification/actions.md, Standing approvals',
  'POST /api/v3/agentic/approval/add': 'docs/specification/actions.md, Standing approvals',
  'POST /api/v3/agentic/approval/revoke': 'docs/specification/actions.md, Standing approvals',
  'POST /api/v3/agentic/approval/list': 'docs/specification/actions.md, Standing approvals',
  'GET /api/v3/agentic/approval/get': 'docs/specification/actions.md, Standing approvals',
  'GET /api/v3/agentic/approval/switch/get': 'docs/specification/actions.md, Standing approvals',
  'POST /api/v3/agentic/approval/switch/set': 'docs/specification/actions.md, Standing approvals',
  'GET /api/v3/agentic/handover/get': 'How the plant is, in one answer for people',
  'POST /api/v3/data/dashboard/alert/search': 'Alarms by urgency, with names, for people',
  'GET /api/v3/data/dashboard/alert/report': 'One alarm explained, for people',
  'POST /api/v3/data/dashboard/alert/silence': 'docs/specification/notifications.md, Silences',
  'POST /api/v3/data/dashboard/alert/unsilence': 'docs/specification/notifications.md, Silences',
  'POST /api/v3/data/notify/channel/test': 'docs/specification/notifications.md, Trying out',
  'POST /api/v3/data/message/preview': 'docs/specification/notifications.md, Trying out',
  'POST /api/v3/data/rule/preview': 'docs/specification/alarms.md, Previews of rules',
  'POST /api/v3/data/dead_letter/list': 'Operation: what no consumer could take',
  'POST /api/v3/data/dead_letter/replay': 'Operation: puts it back into its queue',
  'POST /api/v3/data/dead_letter/drop': 'Operation: removes it',
  'GET /api/v3/data/device/status/get_by_device_id':
    'Why a device is not served, in the words of its driver',
  'POST /api/v3/data/device/status/list_detail':
    'As device/status/list, with why and since when a device is away',
  'GET /api/v3/manager/device/registration/get_by_device_id':
    'docs/specification/lwm2m.md, What a device registered',
  'POST /api/v3/manager/device/registration/propose_profile':
    'docs/specification/lwm2m.md, What a device registered',
  'POST /api/v3/manager/device/registration/make_profile':
    'docs/specification/lwm2m.md, What a device registered',
  'POST /api/v3/manager/firmware/upload': 'docs/specification/firmware.md',
  'POST /api/v3/manager/firmware/list': 'docs/specification/firmware.md',
  'POST /api/v3/manager/firmware/delete': 'docs/specification/firmware.md',
  'POST /api/v3/manager/firmware/rollout/start': 'docs/specification/firmware.md',
  'POST /api/v3/agentic/action/propose_firmware': 'docs/specification/firmware.md',
  'POST /api/v3/manager/firmware/rollout/pause': 'docs/specification/firmware.md',
  'POST /api/v3/manager/firmware/rollout/resume': 'docs/specification/firmware.md',
  'POST /api/v3/manager/firmware/rollout/stop': 'docs/specification/firmware.md',
  'POST /api/v3/manager/firmware/rollout/list': 'docs/specification/firmware.md',
  'GET /api/v3/manager/firmware/rollout/get_by_id': 'docs/specification/firmware.md',
  'POST /api/v3/manager/firmware/rollout/list_devices': 'docs/specification/firmware.md',
  'POST /api/v3/manager/device/waiting/list': 'docs/specification/lwm2m.md, Waiting endpoints',
  'POST /api/v3/manager/device/waiting/assign': 'docs/specification/lwm2m.md, Waiting endpoints',
  'POST /api/v3/manager/device/waiting/claim': 'docs/specification/lwm2m.md, Waiting endpoints',
  'GET /api/v3/manager/device/import/template': 'docs/specification/objects.md, Tables of devices',
  'POST /api/v3/manager/device/import/preview': 'docs/specification/objects.md, Tables of devices',
  'GET /api/v3/manager/device/import/report': 'docs/specification/objects.md, Tables of devices',
  'GET /api/v3/manager/device/export': 'docs/specification/objects.md, Tables of devices',
  'GET /api/v3/data/point_value/why': 'docs/specification/values.md, Why no data',
  'POST /api/v3/data/point_value/trend': 'docs/specification/values.md, Trends of values',
  'GET /api/v3/data/point_value/export': 'docs/specification/values.md, Tables of values',
  'POST /api/v3/manager/device/import/cancel': 'docs/specification/objects.md, Tables of devices',
  'POST /api/v3/manager/device/import/list': 'docs/specification/objects.md, Tables of devices',
  'GET /api/v3/manager/device/import/get': 'docs/specification/objects.md, Tables of devices',
  'POST /api/v3/manager/device/import/run': 'docs/specification/objects.md, Tables of devices',
  'POST /api/v3/data/point_value/import': 'Past values, late by design',
  'POST /api/v3/data/event_history/acknowledge':
    'docs/specification/events.md: what was reported can be acknowledged',
  'POST /api/v3/auth/token/external':
    'docs/specification/login.md 7: answers that it is not enabled',
  'POST /api/v3/agentic/provider/config/check':
    'Whether the stored key and address of a provider work, before a chat finds out',
  'GET /api/v3/agentic/attachment/download':
    'docs/specification/assistant.md, Branches of a conversation',
  'GET /api/v3/agentic/chat/stream/{turnId}': 'docs/specification/assistant.md, Events of a turn',
  'GET /api/v3/agentic/session/export':
    'docs/specification/assistant.md, Branches of a conversation',
  'GET /api/v3/agentic/origin/get': 'docs/specification/assistant.md, Web pages elsewhere',
  'POST /api/v3/agentic/origin/set': 'docs/specification/assistant.md, Web pages elsewhere',
  'POST /api/v3/agentic/session/branch/select':
    'docs/specification/assistant.md, Branches of a conversation',
  'POST /api/v3/agentic/session/search':
    'docs/specification/assistant.md, Branches of a conversation',
  'POST /api/v3/agentic/session/turn/stop': 'docs/specification/assistant.md, Events of a turn',
  'GET /api/v3/agentic/usage/list': 'docs/specification/assistant.md, Usage',
  'GET /api/v3/agentic/usage/summary': 'docs/specification/assistant.md, Usage',
  'GET /api/v3/agentic/usage/budget/list': 'docs/specification/assistant.md, Usage',
  'POST /api/v3/agentic/usage/budget/add': 'docs/specification/assistant.md, Usage',
  'POST /api/v3/agentic/usage/budget/delete': 'docs/specification/assistant.md, Usage',
  'GET /api/v3/agentic/models': "Where OpenAI's clients look for models",
  'GET /api/v3/agentic/models/{id}': "Where OpenAI's clients look for models",
  'POST /api/v3/auth/session/begin': 'docs/specification/login.md, Sessions of browsers',
  'GET /api/v3/auth/session/current': 'docs/specification/login.md, Sessions of browsers',
  'POST /api/v3/auth/session/end': 'docs/specification/login.md, Sessions of browsers',
  'GET /api/v3/data/live': 'docs/specification/endpoints.md, Live stream',
  'POST /api/v3/auth/key/add': 'docs/specification/authorization.md, Keys',
  'POST /api/v3/auth/key/list': 'docs/specification/authorization.md, Keys',
  'POST /api/v3/auth/key/revoke': 'docs/specification/authorization.md, Keys',
  'POST /api/v3/auth/mcp/grant/list': 'docs/specification/authorization.md, OAuth',
  'POST /api/v3/auth/mcp/grant/revoke': 'docs/specification/authorization.md, OAuth',
  'POST /api/v3/auth/mcp/client/delete': 'What can be registered can be deleted',
  'GET /api/v3/auth/mcp/switch/get': 'What agents may do now',
  'POST /api/v3/auth/mcp/switch/set': 'Agents can be stopped',
  'POST /api/v3/auth/mcp/connection/read_only': 'So can those of one connection',
  'GET /api/v3/auth/mcp/connection/usage': 'Agents have budgets',
  'POST /api/v3/auth/mcp/connection/budgets/replace': 'Those of a connection can differ',
  'POST /api/v3/auth/mcp/connection/restore': 'What was revoked can be restored',
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
  expect(beside.toSorted()).toEqual(Object.keys(ours).toSorted());
});

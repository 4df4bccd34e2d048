import { randomUUID } from 'node:crypto';

import type { z } from 'zod';

import { fieldsOf, isId } from './input-shape.ts';
import type { Owned } from './populate.ts';

type Kind = keyof Owned;
type Row = { center: string; path: string; input: z.ZodType };

/** What a field that names an entity means where its own name does not say it. */
const NOUNS: Record<string, Kind> = {
  driver: 'driver',
  driver_attribute: 'driverAttribute',
  point_attribute: 'pointAttribute',
  profile: 'profile',
  point: 'point',
  device: 'device',
  driver_attribute_config: 'driverAttributeConfig',
  point_attribute_config: 'pointAttributeConfig',
  command: 'command',
  event: 'event',
  command_attribute: 'commandAttribute',
  event_attribute: 'eventAttribute',
  command_attribute_config: 'commandAttributeConfig',
  event_attribute_config: 'eventAttributeConfig',
  command_param: 'commandParam',
  event_param: 'eventParam',
  group: 'group',
  group_bind: 'groupBind',
  label: 'label',
  label_bind: 'labelBind',
  maintenance: 'maintenance',
  retention_class: 'retentionClass',
  retention_hold: 'retentionHold',
  import: 'valueImport',
  rule: 'rule',
  state: 'ruleState',
  alert: 'alarm',
  notify: 'notify',
  channel: 'channel',
  bind: 'bind',
  message: 'message',
  history: 'notification',
  service_account: 'serviceAccount',
  user_profile: 'user',
  principal: 'principal',
  local_credential: 'credential',
  tenant_membership: 'membership',
  role: 'role',
  role_principal: 'rolePrincipal',
  role_resource: 'roleResource',
  resource: 'global',
  api: 'global',
  menu: 'global',
  dead_letter: 'global',
  connection: 'connection',
  tools: 'connection',
  tenant: 'tenant',
  client: 'registeredClient',
  key: 'key',
  provider: 'modelProvider',
  model: 'modelConfig',
  waiting: 'waiting',
  firmware: 'firmware',
  rollout: 'rollout',
  attachment: 'attachment',
  manual: 'manual',
  budget: 'chatBudget',
};

const FIELDS: Record<string, Kind> = {
  tenantId: 'tenant',
  driverId: 'driver',
  profileId: 'profile',
  pointId: 'point',
  deviceId: 'device',
  eventId: 'event',
  actionId: 'action',
  approvalId: 'approval',
  importId: 'import',
  recordId: 'call',
  groupId: 'group',
  parentGroupId: 'group',
  labelId: 'label',
  ruleId: 'rule',
  alarmId: 'alarm',
  causeId: 'alarm',
  notifyId: 'notify',
  channelId: 'channel',
  messageId: 'message',
  entityId: 'device',
  conversationId: 'conversation',
  principalId: 'principal',
  ownerPrincipalId: 'principal',
  serviceAccountPrincipalId: 'serviceAccountPrincipal',
  clientId: 'client',
  grantId: 'grant',
  roleId: 'role',
  parentRoleId: 'role',
  resourceId: 'global',
  parentResourceId: 'global',
  parentMenuId: 'global',
  connectionId: 'connection',
  toolId: 'global',
  providerId: 'modelProvider',
  packageId: 'firmware',
  manualId: 'manual',
  rolloutId: 'rollout',
  waitingId: 'waiting',
  userId: 'principal',
  assigneeId: 'principal',
};

/** Values for the fields a call needs besides its ids, where they are not the example of the schema. */
const SAMPLES: Record<string, unknown> = {
  mode: 'ON',
  scopeFlag: 'DEVICE',
  end: new Date(Date.now() + 3_600_000).toISOString(),
  endTime: new Date(Date.now() + 3_600_000).toISOString(),
  on: true,
  from: new Date(Date.now() - 3_600_000).toISOString(),
  to: new Date().toISOString(),
  until: new Date(Date.now() + 3_600_000).toISOString(),
  maxUses: 5,
  digest: 'x',
  readOnly: false,
  budgets: {},
  kind: 'key',
  unit: 'tokens',
  period: 'hour',
  amount: '1000000000',
  value: '5',
  configValue: '1',
  pointTypeFlag: 'DOUBLE',
  paramTypeFlag: 'DOUBLE',
  entityTypeFlag: 'DEVICE',
  groupTypeFlag: 'DEVICE',
  rwFlag: 'READ_WRITE',
  commandTypeFlag: 'ACTION',
  callTypeFlag: 'ASYNC',
  timeout: 30,
  eventTypeFlag: 'ALERT',
  eventLevelFlag: 'HIGH',
  driverTypeFlag: 'DRIVER_CLIENT',
  alarmTargetTypeFlag: 'DEVICE',
  ruleExt: { content: { condition: { field: 'createTime', operator: 'exists' } } },
  channelTypeFlag: 'EMAIL',
  target: 'sample@example.org',
  operator: 'exists',
  hours: 2,
  source: 'point',
  items: [],
  serviceName: 'svc-driver-x',
  serviceHost: '127.0.0.1',
  tenant: 'default',
  code: 'default',
  token: 'x',
  file: 'x',
  password: 'correct horse',
  resourceName: 'sample',
  apiCode: 'sample',
  roleCode: 'sample',
  tenantCode: 'sample',
  phone: '+4930123456',
  email: 'sample@example.org',
  baseUrl: 'https://models.example.org/v1',
  model: 'sample',
  packageName: 'sample',
  packageVersion: '1.0',
  messageIndex: 1,
  words: 'sample',
  text: 'sample',
  origins: [],
  turn: `chatcmpl-${'0'.repeat(24)}`,
};

const camel = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const UUIDS: readonly Kind[] = [
  'pointCommand',
  'action',
  'call',
  'eventRecord',
  'approval',
  'import',
];

/** An id of the right form that nobody has. */
export const missing = (kind: Kind): string =>
  UUIDS.includes(kind)
    ? randomUUID()
    : ['conversation', 'client', 'grant'].includes(kind)
      ? `none-${randomUUID()}`
      : '4611686018427387904';

/** Which kind of entity a field names; throws for one this table does not know, so that none is left out. */
function kindOf({ center, path }: { center: string; path: string }, field: string): Kind {
  const name = camel(field).replace(/Ids$/, 'Id');
  const parts = path.split('/');
  const noun = parts.at(parts.at(-2) === 'config' ? -3 : -2) ?? '';
  if (name === 'id' || name === 'ids') {
    const kind = NOUNS[noun];
    if (kind) return kind;
  }
  if (name === 'attributeId') {
    const kind = NOUNS[noun.replace(/_config$/, '')];
    if (kind) return kind;
  }
  if (name === 'parentId') {
    // What a selection list is narrowed to is the first word of its path: device_point.
    const kind = NOUNS[path.replace(/^.*\/(\w+?)(_\w+)?$/, '$1')];
    if (kind) return kind;
  }
  if (name === 'commandId')
    return center === 'manager' || noun === 'command_history' ? 'command' : 'pointCommand';
  if (name === 'recordId' && noun === 'event_history') return 'eventRecord';
  const kind = FIELDS[name];
  if (!kind)
    throw new Error(
      `which entity does ${field} of ${center}${path} name? List it in foreign-cases.ts`,
    );
  return kind;
}

export type Case = { field: string; kind: Kind; input(id: string): Record<string, unknown> };

/** What a call needs beside one of its ids, of which none is required alone. */
const BESIDE: Record<string, (field: string, own: Owned) => Record<string, unknown>> = {
  '/rule/preview': (field, { point }) =>
    field === 'entityId' ? { alarmTargetTypeFlag: 'DEVICE' } : { pointId: point },
  '/action/propose_rule': (field, { point }): Record<string, unknown> =>
    field === 'notifyId' ? { pointId: point } : {},
  '/change/list': (field) => (field === 'entityId' ? { entityType: 'device' } : {}),
  '/change/export': (field) => (field === 'entityId' ? { entityType: 'device' } : {}),
};

let counter = 0;

/** One case per id field of a call: all else is the caller's own and right. */
export function casesOf(row: Row, own: Owned): Case[] {
  const fields = fieldsOf(row.input);
  const ids = fields.filter(({ name }) => isId(name));
  const plain = (name: string, id: string): unknown => (/[a-z]?[iI]ds$/.test(name) ? [id] : id);
  return ids.map(({ name: field }) => ({
    field,
    kind: kindOf(row, field),
    input(id) {
      const input: Record<string, unknown> = { ...BESIDE[row.path]?.(field, own) };
      for (const { name, required, example } of fields) {
        if (name === field) input[name] = plain(name, id);
        else if (isId(name)) {
          if (required) input[name] = plain(name, own[kindOf(row, name)]);
        } else if (name === 'points') input[name] = ownPoints(own);
        else if (required) input[name] = sample(name, example);
      }
      return input;
    },
  }));
}

/** What a call cannot do without: the caller's own ids, and good values. */
export function ownInput(row: Row, own: Owned): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const { name, required, example } of fieldsOf(row.input)) {
    if (!required) continue;
    const id = isId(name) ? own[kindOf(row, name)] : null;
    if (name === 'writes') input[name] = ownWrites(own);
    else if (name === 'points') input[name] = ownPoints(own);
    else if (name === 'pairs') input[name] = [{ deviceId: own.device, pointId: own.point }];
    else input[name] = id === null ? sample(name, example) : /ids$/i.test(name) ? [id] : id;
  }
  return input;
}

/** What several writes as one cannot do without. */
const ownWrites = ({ device: deviceId, point, otherPoint }: Owned) =>
  [point, otherPoint].map((pointId) => ({ deviceId, pointId, value: 5 }));

/** What a standing approval cannot do without. */
const ownPoints = ({ device: deviceId, point: pointId }: Owned) => [
  { deviceId, pointId, min: 1, max: 2, maxStep: 1, maxPerHour: 1 },
];

function sample(name: string, example: unknown): unknown {
  counter += 1;
  const known = SAMPLES[camel(name)];
  if (known !== undefined) return known;
  if (/[nN]ame$|Code$/.test(name)) return `sample-${counter}`;
  if (example !== undefined) return example;
  throw new Error(`what is a good value for ${name}? Give its schema an example`);
}

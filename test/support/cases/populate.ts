import { z } from 'zod';

import { propose } from '../../../src/agentic/propose/action.ts';
import { lwm2mDevice } from '../lwm2m/device.ts';
import { populateFirmware } from '../lwm2m/populate-firmware.ts';
import { waitingEndpoint } from '../lwm2m/waiting.ts';
import { manualOf } from '../manuals/upload.ts';
import { newGrant } from '../people/oauth-client.ts';
import type { Session } from '../people/session.ts';
import { Records } from '../people/shapes.ts';
import { uploadForm } from '../people/upload.ts';
import type { World } from '../world/app.ts';
import { eventually } from '../world/eventually.ts';
import { approved } from './approved.ts';
import { endedImport } from './ended-import.ts';
import { populateAlarms } from './populate-alarms.ts';
import { populateDefinitions } from './populate-definitions.ts';
import { populateModels } from './populate-models.ts';

const Id = z.string().min(1);
const Rows = z.array(z.looseObject({ id: Id }));

/** One of everything a tenant can own: kind → id. */
export type Owned = Record<
  | 'tenant'
  | 'principal'
  | 'driver'
  | 'driverAttribute'
  | 'pointAttribute'
  | 'profile'
  | 'point'
  | 'otherPoint'
  | 'waiting'
  | 'firmware'
  | 'manual'
  | 'rollout'
  | 'device'
  | 'driverAttributeConfig'
  | 'pointAttributeConfig'
  | 'command'
  | 'event'
  | 'commandAttribute'
  | 'eventAttribute'
  | 'commandAttributeConfig'
  | 'eventAttributeConfig'
  | 'commandParam'
  | 'eventParam'
  | 'group'
  | 'groupBind'
  | 'label'
  | 'labelBind'
  | 'maintenance'
  | 'retentionClass'
  | 'retentionHold'
  | 'valueImport'
  | 'rule'
  | 'ruleState'
  | 'alarm'
  | 'notify'
  | 'channel'
  | 'bind'
  | 'message'
  | 'notification'
  | 'eventRecord'
  | 'pointCommand'
  | 'call'
  | 'action'
  | 'approval'
  | 'import'
  | 'conversation'
  | 'attachment'
  | 'serviceAccount'
  | 'serviceAccountPrincipal'
  | 'user'
  | 'credential'
  | 'membership'
  | 'role'
  | 'rolePrincipal'
  | 'roleResource'
  | 'connection'
  | 'modelProvider'
  | 'chatBudget'
  | 'modelConfig'
  // What belongs to all tenants: an id nobody has.
  | 'global'
  | 'client'
  | 'registeredClient'
  | 'grant'
  | 'key',
  string
>;

/** Onboards one of everything through the API, as the tenant's own admin; the world needs a model (`SVC_DEMO=on`). */
export async function populate(world: World, session: Session): Promise<Owned> {
  const add = async (path: string, body: object) => Id.parse(await session.data(path, body));
  const manager = '/api/v3/manager';
  const drivers = Records.parse(
    await session.data(`${manager}/driver/list`, { driverCode: 'VirtualDriver' }),
  );
  const driver = Id.parse(drivers.records[0]?.id);
  const first = async (path: string): Promise<string> =>
    Id.parse(Rows.parse(await session.data(path, undefined, { driver_id: driver }))[0]?.id);
  const driverAttribute = await first(`${manager}/driver_attribute/list_by_driver_id`);
  const pointAttribute = await first(`${manager}/point_attribute/list_by_driver_id`);
  const profile = await add(`${manager}/profile/add`, {
    profileName: 'boiler',
    profileCode: 'boiler',
  });
  const target = (pointName: string, pointCode: string) =>
    add(`${manager}/point/add`, {
      pointName,
      pointCode,
      pointTypeFlag: 'DOUBLE',
      rwFlag: 'READ_WRITE',
      profileId: profile,
    });
  const point = await target('target', 'target');
  const otherPoint = await target('other target', 'other-target');
  const device = await add(`${manager}/device/add`, {
    deviceName: 'boiler-1',
    deviceCode: 'boiler-1',
    driverId: driver,
    profileId: profile,
  });
  const config = { deviceId: device, configValue: '1' };
  const driverAttributeConfig = await add(`${manager}/driver_attribute_config/add`, {
    ...config,
    attributeId: driverAttribute,
  });
  const pointAttributeConfig = await add(`${manager}/point_attribute_config/add`, {
    ...config,
    attributeId: pointAttribute,
    pointId: point,
  });
  const command = await add(`${manager}/command/add`, {
    commandName: 'purge',
    commandCode: 'purge',
    commandTypeFlag: 'ACTION',
    callTypeFlag: 'ASYNC',
    timeout: 30,
    profileId: profile,
  });
  const event = await add(`${manager}/event/add`, {
    eventName: 'leak',
    eventCode: 'leak',
    eventTypeFlag: 'ALERT',
    eventLevelFlag: 'HIGH',
    profileId: profile,
  });
  const definitions = await populateDefinitions(add, { driver, device, command, event });
  const alarms = await populateAlarms(world, session, add, { driver, device, point, event });
  const pointCommand = await add('/api/v3/data/point_command/read', {
    deviceId: device,
    pointId: point,
  });
  await eventually(
    () =>
      session.data('/api/v3/data/point_command_history/get_by_command_id', undefined, {
        commandId: pointCommand,
      }),
    hasEnded,
  );
  const call = await add('/api/v3/data/command_history/call', {
    deviceId: device,
    commandId: command,
    paramValues: { volume: '5' },
  });
  await eventually(
    () =>
      session.data('/api/v3/data/command_history/get_by_record_id', undefined, { recordId: call }),
    hasEnded,
  );

  const serviceAccount = await add('/api/v3/auth/service_account/add', {
    serviceAccountName: 'agent',
  });
  const account = z.object({ principalId: Id }).parse(
    await session.data('/api/v3/auth/service_account/get_by_id', undefined, {
      id: serviceAccount,
    }),
  );
  const key = z
    .object({ id: Id })
    .parse(await session.data('/api/v3/auth/key/add', { keyName: 'chat client' }));
  const client = z.object({ client_id: Id }).parse(
    await session.data('/api/v3/auth/mcp/client/register', {
      client_name: 'agent',
      grant_types: ['client_credentials'],
      service_account_principal_id: account.principalId,
    }),
  );
  const listed = Clients.parse(await session.data('/api/v3/auth/mcp/client/list', {}));
  const registered = listed.find(({ clientId }) => clientId === client.client_id);
  const chat = await fetch(`${world.base}/api/v3/agentic/chat/completions`, {
    method: 'POST',
    headers: { ...session.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ store: true, messages: [{ role: 'user', content: 'hello' }] }),
  });
  if (!chat.ok) throw new Error(`chat answered ${chat.status}: ${await chat.text()}`);
  const { x_svc: said } = z
    .object({ x_svc: z.object({ conversation_id: Id }) })
    .parse(await chat.json());
  const form = new FormData();
  form.set('file', new Blob(['boiler,21.5\n']), 'boiler.csv');
  const { id: attachment } = z
    .object({ data: z.object({ id: Id }) })
    .parse((await uploadForm(session, said.conversation_id, form)).body).data;
  const { actionId } = await propose(
    world.app,
    {
      tenantId: session.tenantId,
      principalId: account.principalId,
      principalType: 'SERVICE_ACCOUNT',
      name: 'agent',
      via: 'oauth',
      permissions: new Set(['*']),
    },
    { deviceId: device, pointId: point, value: '5', idempotencyKey: 'one' },
  );
  return {
    tenant: session.tenantId,
    principal: account.principalId,
    driver,
    driverAttribute,
    pointAttribute,
    profile,
    point,
    otherPoint,
    device,
    driverAttributeConfig,
    pointAttributeConfig,
    command,
    event,
    ...definitions,
    ...alarms,
    pointCommand,
    call,
    action: actionId,
    approval: await approved(session, { principalId: account.principalId, device, point }),
    import: await endedImport(world, session, { driverId: driver, profileId: profile }),
    waiting: await waitingEndpoint(world, session, (await lwm2mDevice(session, {})).deviceId),
    ...(await populateFirmware(world, session, device, async () => {
      const profileId = await add(`${manager}/profile/add`, { profileName: 'updated' });
      return add(`${manager}/device/add`, { deviceName: 'updated', driverId: driver, profileId });
    })),
    manual: (
      await manualOf(session, 'Alarm E17: overpressure.', 'm.txt', {
        manual_name: 'thermostat',
      })
    ).id,
    conversation: said.conversation_id,
    attachment,
    serviceAccount,
    serviceAccountPrincipal: account.principalId,
    client: client.client_id,
    registeredClient: Id.parse(registered?.id),
    grant: await newGrant(session),
    key: key.id,
    ...(await populateModels(add)),
    ...(await populateIdentity(session, add, client.client_id)),
  };
}

const Clients = z.array(z.object({ id: Id, clientId: z.string() }));

const hasEnded = (receipt: unknown): boolean =>
  !/"status":"(PENDING|SENT)"/.test(JSON.stringify(receipt));

type Add = (path: string, body: object) => Promise<string>;

/** Somebody with a login and a role of his own, and a client limited to some tools. */
async function populateIdentity(session: Session, add: Add, clientId: string) {
  const auth = '/api/v3/auth';
  const name = `${session.tenant}-worker`;
  const user = await add(`${auth}/user_profile/add`, { userName: name, nickName: name });
  const { principalId } = z
    .object({ principalId: Id })
    .parse(await session.data(`${auth}/user_profile/get_by_id`, undefined, { id: user }));
  const credential = await add(`${auth}/local_credential/add`, {
    principalId,
    loginName: name,
    password: 'correct horse battery',
  });
  const memberships = Records.parse(
    await session.data(`${auth}/tenant_membership/list`, { principalId }),
  );
  const role = await add(`${auth}/role/add`, { roleName: 'worker', roleCode: 'worker' });
  const rolePrincipal = await add(`${auth}/role_principal/add`, { roleId: role, principalId });
  const resources = Records.parse(
    await session.data(`${auth}/resource/list`, { resourceCode: 'svc-center-manager:device:list' }),
  );
  const resourceId = Id.parse(resources.records[0]?.id);
  const roleResource = await add(`${auth}/role_resource/add`, { roleId: role, resourceId });
  const connection = z.object({ id: Id });
  const added = connection.parse(await session.data(`${auth}/mcp/connection/add`, { clientId }));
  return {
    user,
    credential,
    membership: Id.parse(memberships.records[0]?.id),
    role,
    rolePrincipal,
    roleResource,
    connection: added.id,
    global: '4611686018427387905',
  };
}

import type { Bus } from '../../../src/bus/bus.ts';
import type { Payload } from '../../../src/bus/topic/topics.ts';
import { inTenant } from '../../../src/db/tenant.ts';
import { answerRequest } from '../../../src/manager/firmware/driver-word.ts';
import { handOut } from '../../../src/manager/firmware/task.ts';
import { moveRollouts } from '../../../src/manager/firmware/wave.ts';
import { add } from '../devices/plant.ts';
import { configureDevice, firmwareAgent, firmwareIn } from '../lwm2m/firmware-actions.ts';
import type { Session } from '../people/session.ts';
import type { World } from '../world/app.ts';
import { fresh } from '../world/fresh-name.ts';
import type { Round } from './confirmation-run.ts';

const MANAGER = '/api/v3/manager';
const DRIVER = { driverCode: 'Lwm2mDriver', node: 'n1' };
/** When the change lands: a roll-out begins its device, hands it to the driver, and that asks before its first order. */
const moments = [
  'before confirm',
  'before it begins',
  'before it is handed out',
  'before its first order',
] as const;

type Task = Payload<'svc.e.firmware'>;
/** A device of a group and its proposer, and what of them decides what goes out. */
type Place = {
  deviceId: string;
  driverId: string;
  profileId: string;
  groupId: string;
  packageId: string;
  packageVersion: string;
  sha256: string;
  accountId: string;
  clientId: string;
  endpoint: string;
  key: string;
  /** A package of its version that came later; empty: none. */
  laterId: string;
  isThere: boolean;
  isHeld: boolean;
  hasProposer: boolean;
};
type Change = { name: string; land(at: Place): Promise<unknown> };
type Landing = { moment: (typeof moments)[number]; change: Change };

/** What goes out to drivers: updates, and those of them that may begin. */
export type Out = { tasks: Task[]; allowed: Set<string> };

/** A bus that keeps what goes out to drivers. */
export function recordingTasks(bus: Bus): { bus: Bus; out: Out } {
  const out: Out = { tasks: [], allowed: new Set() };
  const publish: Bus['publish'] = (topic, payload, options) => {
    if (topic === 'svc.e.firmware' && 'packageId' in payload) out.tasks.push(payload);
    if ('mayBegin' in payload && payload.mayBegin) out.allowed.add(payload.updateId);
    return bus.publish(topic, payload, options);
  };
  return { bus: { ...bus, publish }, out };
}

/**
 * Changes around the confirmation of a roll-out, in a world in which nothing runs by itself: each of them at each
 * moment, and then several at random ones. A package never changes; its waves and its devices are those of the card.
 */
export function openFirmwareRun(world: World, { tasks, allowed }: Out, random: () => number) {
  const { admin, app } = world;
  const fw = firmwareIn(world);
  const turn = (mode: string) => admin.data('/api/v3/auth/mcp/switch/set', { mode });

  async function place(): Promise<
    Place & { post: Awaited<ReturnType<typeof firmwareAgent>>['post'] }
  > {
    const key = 'aabbccddaabbccdd';
    const identity = fresh('valve');
    const device = await fw.device({ securityMode: 'PSK', pskIdentity: identity, pskKey: key });
    const { id: packageId, packageVersion, sha256 } = await fw.package();
    const groupId = await add(admin, 'group', {
      groupName: fresh('group'),
      groupTypeFlag: 'DEVICE',
    });
    await join(admin, groupId, device.deviceId);
    const { post, principalId } = await firmwareAgent(admin);
    const { accountId, clientId } = await inTenant(app.db, admin.tenantId, (q) =>
      q
        .selectFrom('svc_service_account as a')
        .innerJoin('svc_oauth_client as c', 'c.serviceAccountPrincipalId', 'a.principalId')
        .select(['a.id as accountId', 'c.id as clientId'])
        .where('a.tenantId', '=', admin.tenantId)
        .where('a.principalId', '=', principalId)
        .executeTakeFirstOrThrow(),
    );
    const { deviceId, driverId, profileId, endpoint } = device;
    const known = { endpoint, key, laterId: '', isThere: true, isHeld: false, hasProposer: true };
    const of = { deviceId, driverId, profileId, groupId, packageId, packageVersion, sha256 };
    return { ...of, accountId, clientId, ...known, post };
  }

  const changes = changesOf(world, fw, turn);

  const kinds = changes.length * moments.length;
  const pick = <T>(from: readonly T[]): T => {
    const picked = from[Math.floor(random() * from.length)];
    if (picked === undefined) throw new Error('there is nothing to pick');
    return picked;
  };
  const oneOf = (n: number): Landing => ({
    moment: moments[Math.floor(n / changes.length) % moments.length] ?? 'before confirm',
    change: changes[n % changes.length] ?? pick(changes),
  });
  const some = (): Landing[] =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
      moment: pick(moments),
      change: pick(changes),
    }));

  async function round(n: number): Promise<Round> {
    const at = await place();
    const landings = n < kinds ? [oneOf(n)] : some();
    const what = landings.map(({ moment, change }) => `${moment}: ${change.name}`).join(', ');
    const land = async (now: Landing['moment']): Promise<void> => {
      for (const { moment, change } of landings)
        // What is left of a device that is gone cannot be changed.
        if (moment === now && at.isThere) await change.land(at);
    };
    const before = tasks.length;
    try {
      const { packageId, deviceId, groupId } = at;
      const chosen = n % 2 === 0 ? { deviceIds: [deviceId] } : { groupId };
      const card = await fw.proposed({ packageId, ...chosen }, at.post);
      let promised = { ...at };
      await land('before confirm');
      const { hasProposer } = at;
      let isFresh = false;
      let answer = await fw.confirm(card.actionId, card.digest);
      if (answer.status === 412) {
        const { digest } = await fw.look(card.actionId);
        isFresh = digest !== card.digest;
        promised = { ...at };
        if (isFresh) answer = await fw.confirm(card.actionId, digest);
      }
      await land('before it begins');
      await moveRollouts(app);
      await land('before it is handed out');
      await served(deviceId);
      await handOut(app);
      await land('before its first order');
      const own = await updatesOf(card.actionId);
      for (const { updateId, tenantId } of tasks.slice(before))
        await answerRequest(app, { ...DRIVER, updateId, tenantId, asks: 'begin', offset: 0 });
      const out = tasks
        .slice(before)
        .filter(({ updateId }) => own.includes(updateId) && allowed.has(updateId));
      const isConfirmed = answer.status === 200;
      const wrong = judged(at, promised, { out, isConfirmed, hasProposer });
      for (const { id } of await fw.rolloutsOf(card.actionId))
        await admin.post(`${MANAGER}/firmware/rollout/stop`, { id });
      const ends = isFresh ? 'fresh card' : out.length > 0 ? 'written' : 'refused';
      return { what, ends, wrong };
    } finally {
      // A tenant keeps so many; what is on its way to a device stays.
      for (const id of [at.packageId, at.laterId]) await removePackage(id);
      if (at.isHeld) await turn('ON');
    }
  }

  const removePackage = (id: string) => admin.post(`${MANAGER}/firmware/delete`, undefined, { id });
  const updatesOf = (actionId: string) =>
    inTenant(app.db, admin.tenantId, async (q) => {
      const rows = await q
        .selectFrom('svc_firmware_update as u')
        .innerJoin('svc_firmware_rollout as r', (join) =>
          join.onRef('r.id', '=', 'u.rolloutId').onRef('r.tenantId', '=', 'u.tenantId'),
        )
        .select('u.updateId')
        .where('u.tenantId', '=', admin.tenantId)
        .where('r.actionId', '=', actionId)
        .execute();
      return rows.map(({ updateId }) => updateId);
    });

  /** A driver node serves it, which nothing plays: what goes out is kept. */
  const served = (deviceId: string) =>
    inTenant(app.db, admin.tenantId, (q) =>
      q
        .updateTable('svc_entity_state')
        .set({ node: 'n1' })
        .where('tenantId', '=', admin.tenantId)
        .where('entityId', '=', deviceId)
        .execute(),
    );

  return { round, kinds };
}

function judged(
  now: Place,
  promised: Place,
  {
    out,
    isConfirmed,
    hasProposer,
  }: { out: readonly Task[]; isConfirmed: boolean; hasProposer: boolean },
): string {
  if (isConfirmed && !hasProposer) return 'was confirmed without its proposer';
  if (out.length === 0) return '';
  if (!isConfirmed) return 'went out without a confirmation';
  if (out.length > 1) return `went out ${out.length} times`;
  if (out[0]?.deviceId !== promised.deviceId) return 'went out to a device that was not shown';
  if (out[0].sha256 !== promised.sha256) return 'other bytes went out';
  if (!now.isThere) return 'went out to a device that is gone or disabled';
  if (now.isHeld) return 'went out while agents were held';
  return now.endpoint === promised.endpoint && now.key === promised.key
    ? ''
    : `went out to ${now.endpoint}, its card was of ${promised.endpoint}`;
}

const join = (by: Session, groupId: string, entityId: string) =>
  add(by, 'group_bind', { entityTypeFlag: 'DEVICE', entityId, groupId });

/** Everything that can be changed around a roll-out, each once. */
function changesOf(
  { admin }: World,
  fw: ReturnType<typeof firmwareIn>,
  turn: (mode: string) => Promise<unknown>,
): Change[] {
  const update = (noun: string, body: object) => admin.data(`${MANAGER}/${noun}/update`, body);
  const held = (mode: string): Change => ({
    name: `agents ${mode}`,
    land(at) {
      at.isHeld = true;
      return turn(mode);
    },
  });
  const gone = (name: string, land: Change['land']): Change => ({
    name,
    land(at) {
      at.isThere = false;
      return land(at);
    },
  });
  return [
    {
      name: 'endpoint',
      land(at) {
        at.endpoint = fresh('urn:moved');
        return configureDevice(at, 'endpoint', at.endpoint, admin);
      },
    },
    {
      name: 'key',
      land(at) {
        at.key = '0011223344556677';
        return configureDevice(at, 'pskKey', at.key, admin);
      },
    },
    {
      name: 'identity of the key',
      land(at) {
        at.key = fresh('other');
        return configureDevice(at, 'pskIdentity', at.key, admin);
      },
    },
    held('READ_ONLY'),
    held('OFF'),
    gone('device disabled', ({ deviceId: id }) => update('device', { id, enableFlag: 'DISABLE' })),
    gone('device deleted', ({ deviceId }) =>
      admin.post(`${MANAGER}/device/delete`, undefined, { id: deviceId }),
    ),
    {
      name: 'another remark',
      land: ({ deviceId: id }) => update('device', { id, remark: 'seen' }),
    },
    {
      name: 'device renamed',
      land: ({ deviceId: id }) => update('device', { id, deviceName: fresh('renamed') }),
    },
    {
      name: 'without a key',
      land(at) {
        at.key = '';
        return configureDevice(at, 'securityMode', 'NONE', admin);
      },
    },
    {
      name: 'another device in its group',
      async land({ groupId }) {
        const { deviceId } = await fw.device();
        await join(admin, groupId, deviceId);
      },
    },
    {
      name: 'package of the same version',
      async land(at) {
        await admin.post(`${MANAGER}/firmware/delete`, undefined, { id: at.packageId });
        at.laterId ||= (await fw.package(at.packageVersion)).id;
      },
    },
    {
      name: 'package deleted',
      land: ({ packageId: id }) => admin.post(`${MANAGER}/firmware/delete`, undefined, { id }),
    },
    {
      name: 'another roll-out to it',
      land: ({ packageId, deviceId }) =>
        admin.post(`${MANAGER}/firmware/rollout/start`, { packageId, deviceIds: [deviceId] }),
    },
    {
      name: 'proposer disabled',
      land(at) {
        at.hasProposer = false;
        const { accountId: id } = at;
        return admin.post('/api/v3/auth/service_account/disable', undefined, { id });
      },
    },
    {
      name: 'proposer deleted',
      async land(at) {
        at.hasProposer = false;
        const { accountId: id, clientId } = at;
        await admin.post('/api/v3/auth/mcp/client/delete', undefined, { id: clientId });
        return admin.post('/api/v3/auth/service_account/delete', undefined, { id });
      },
    },
  ];
}

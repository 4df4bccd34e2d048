import { add, pointAttributes } from '../devices/plant.ts';
import type { Session } from '../people/session.ts';

const MANAGER = '/api/v3/manager';

/** A device with one point and its proposer, and what its writes should look like on the wire. */
export type Place = {
  deviceId: string;
  pointId: string;
  profileId: string;
  accountId: string;
  principalId: string;
  code: string;
  type: string;
  multiple: number;
  base: number;
  settings: Record<string, string>;
};
type Change = {
  name: string;
  /** Makes it over REST and notes in the place what it does to the wire. */
  land(at: Place): Promise<unknown>;
  mend?(at: Place): Promise<unknown>;
};

/** Everything that can be changed around a write, each once. */
export function changesOf({
  session,
  random,
  driverIds,
  otherCode,
}: {
  session: Session;
  random: () => number;
  driverIds: ReadonlyMap<string, string>;
  otherCode: string;
}): Change[] {
  const update = (noun: string, body: object) => session.data(`${MANAGER}/${noun}/update`, body);
  const point = (name: string, body: (at: Place) => Partial<Place> & object): Change => ({
    name,
    async land(at) {
      const change = body(at);
      const { type: pointTypeFlag = at.type, base: baseValue = at.base, ...rest } = change;
      await update('point', { id: at.pointId, pointTypeFlag, baseValue, ...rest });
      Object.assign(at, change);
    },
  });
  const device = (name: string, body: object): Change => ({
    name,
    land: ({ deviceId }) => update('device', { id: deviceId, ...body }),
  });
  const text = (): string => `v${Math.floor(random() * 1e6)}`;
  const deviceSetting = (code: string): Change => ({
    name: `device setting ${code}`,
    async land(at) {
      const configValue = text();
      const attributeId = await driverAttribute(session, driverIds.get(at.code) ?? '', code);
      await add(session, 'driver_attribute_config', {
        deviceId: at.deviceId,
        attributeId,
        configValue,
      });
      at.settings = { ...at.settings, [code]: configValue };
    },
  });
  const pointSetting = (code: string): Change => ({
    name: `point setting ${code}`,
    async land(at) {
      const configValue = text();
      const { deviceId, pointId } = at;
      const attributeId = (await pointAttributes(session, driverIds.get(at.code) ?? '')).get(code);
      await add(session, 'point_attribute_config', { deviceId, pointId, attributeId, configValue });
      at.settings = { ...at.settings, [code]: configValue };
    },
  });
  const account = (verb: 'disable' | 'remove'): Change => ({
    name: `proposer ${verb}d`,
    land: ({ accountId: id }) =>
      verb === 'disable'
        ? session.post('/api/v3/auth/service_account/disable', undefined, { id })
        : session.post('/api/v3/auth/service_account/delete', undefined, { id }),
  });
  return [
    deviceSetting('host'),
    deviceSetting('port'),
    deviceSetting('key'),
    pointSetting('path'),
    pointSetting('order'),
    point('multiple', () => ({ multiple: 2 ** (1 + Math.floor(random() * 3)) })),
    point('base', () => ({ base: 1 + Math.floor(random() * 4) })),
    point('decimals', () => ({ valueDecimal: Math.floor(random() * 6) })),
    point('type', () => ({ type: 'FLOAT' })),
    point('unit', () => ({ unit: '°F' })),
    point('remark', () => ({ remark: text() })),
    point('limits around the value', () => ({ maxValue: 400 + Math.floor(random() * 90) })),
    point('limits below the value', () => ({ maxValue: 6 })),
    point('read-only', () => ({ rwFlag: 'READ_ONLY' })),
    point('point disabled', () => ({ enableFlag: 'DISABLE' })),
    device('device disabled', { enableFlag: 'DISABLE' }),
    device('device renamed', { remark: 'seen' }),
    {
      name: 'profile disabled',
      land: ({ profileId: id }) => update('profile', { id, enableFlag: 'DISABLE' }),
    },
    {
      name: 'driver disabled',
      land: ({ code }) => update('driver', { id: driverIds.get(code), enableFlag: 'DISABLE' }),
      mend: ({ code }) => update('driver', { id: driverIds.get(code), enableFlag: 'ENABLE' }),
    },
    {
      name: 'moved to another driver',
      async land(at) {
        await update('device', { id: at.deviceId, driverId: driverIds.get(otherCode) });
        at.code = otherCode;
      },
    },
    {
      name: 'moved to another profile',
      async land(at) {
        const profileId = await add(session, 'profile', {
          profileName: `other ${text()} ${at.deviceId}`,
        });
        await update('device', { id: at.deviceId, profileId });
      },
    },
    account('disable'),
    account('remove'),
  ];
}

async function driverAttribute(
  session: Session,
  driverId: string,
  wanted: string,
): Promise<string> {
  const rows = await session.data(`${MANAGER}/driver_attribute/list_by_driver_id`, undefined, {
    driver_id: driverId,
  });
  for (const row of Array.isArray(rows) ? rows : [])
    if (row.attributeCode === wanted) return String(row.id);
  throw new Error(`the driver declares no ${wanted}`);
}

import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { type Attribute, draft, type NewPoint } from './draft.ts';

const MANY = { current: 1, size: 100 };

export const useDrivers = () =>
  useAsk('POST /manager/driver/list', { page: MANY, enableFlag: 'ENABLE' });
export const useProfiles = (maySee = true) =>
  useAsk('POST /manager/profile/list', maySee ? { page: MANY, enableFlag: 'ENABLE' } : null);

/** Codes are in the attribute; the driver is asked for once and kept. */
export const useDriver = (id: string) =>
  useAsk('GET /manager/driver/get_by_id', id === '' ? null : { id });

const ofDriver = (driverId: string) => (driverId === '' ? null : { driverId });
export const useDeviceAttributes = (driverId: string) =>
  useAsk('GET /manager/driver_attribute/list_by_driver_id', ofDriver(driverId));
export const usePointAttributes = (driverId: string) =>
  useAsk('GET /manager/point_attribute/list_by_driver_id', ofDriver(driverId));

export type PlannedPoint = Pick<NewPoint, 'key' | 'name'>;

/** The points that the device will have: those of the profile, or those entered here. */
export function usePlannedPoints(): {
  points: readonly PlannedPoint[] | null;
  asked: ReturnType<typeof usePointsOf>;
} {
  const { profileId, points } = draft.value;
  const asked = usePointsOf(profileId);
  if (profileId === '') return { points, asked };
  return {
    points: asked.data?.map(({ id, pointName }) => ({ key: id, name: pointName })) ?? null,
    asked,
  };
}

const usePointsOf = (profileId: string) =>
  useAsk('GET /manager/point/list_by_profile_id', profileId === '' ? null : { profileId });

/** How a device with the same driver and profile is set: what the new one most likely needs as well. */
export function useAlike(): {
  device: Schemas['Device'] | null;
  configs: readonly Schemas['AttributeConfig'][];
  /** Before, it may still come; one that cannot be read is none. */
  isKnown: boolean;
} {
  const { driverId, profileId } = draft.value;
  const alike = useAsk(
    'POST /manager/device/list',
    profileId === '' ? null : { driverId, profileId, page: { current: 1, size: 1 } },
  );
  const device = profileId === '' ? null : (alike.data?.records[0] ?? null);
  const configs = useAsk(
    'GET /manager/point_attribute_config/list_by_device_id',
    device ? { deviceId: device.id } : null,
  );
  const isDeviceKnown = profileId === '' || alike.data !== null || alike.failure !== null;
  const areConfigsKnown = device === null || configs.data !== null || configs.failure !== null;
  return {
    device: configs.data === null ? null : device,
    configs: device ? (configs.data ?? []) : [],
    isKnown: isDeviceKnown && areConfigsKnown,
  };
}

type Configs = ReturnType<typeof useAlike>['configs'];

/** What a point has for an attribute: entered here, else as the alike device has it, else as the driver says. */
export const pointValue = (key: string, attribute: Attribute, alike: Configs): string =>
  draft.value.ofPoints[key]?.[attribute.attributeCode] ??
  // Of a secret no answer has the value.
  (isSecret(attribute)
    ? undefined
    : alike.find(({ pointId, attributeId }) => pointId === key && attributeId === attribute.id)
        ?.configValue) ??
  attribute.defaultValue;

/** Most devices register by their name: what identifies one follows its name until it is entered. */
export const deviceValue = (attribute: Attribute): string =>
  draft.value.ofDevice[attribute.id] ??
  (isIdentity(attribute) ? draft.value.deviceName : attribute.defaultValue);

/** Whether the driver knows the device by it. */
export const isIdentity = ({ attributeExt }: Attribute): boolean =>
  attributeExt['identity'] === true;

/** The only value that the running driver takes, or the first of them; null where it takes any. */
export function takenBy({ attributeExt }: Attribute): string | null {
  const { oneOf } = attributeExt;
  const first: unknown = Array.isArray(oneOf) ? oneOf[0] : null;
  return typeof first === 'string' ? first : null;
}

export function isSecret({ attributeExt }: Attribute): boolean {
  const security = attributeExt['security'];
  return typeof security === 'object' && security !== null && 'secret' in security;
}

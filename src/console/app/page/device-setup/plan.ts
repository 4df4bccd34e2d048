import { call } from '../../client/call.ts';
import { type Attribute, draft, made } from './draft.ts';
import {
  deviceValue,
  isSecret,
  type PlannedPoint,
  pointValue,
  useAlike,
  useDeviceAttributes,
  usePlannedPoints,
  usePointAttributes,
} from './facts.ts';

/** One thing that is made: its name in the plan, what it is for people, and how it is made or brought up to date. */
export type Part = {
  name: string;
  kind: 'profile' | 'point' | 'device' | 'config';
  title: string;
  /** Of what was made with another text, an update is due. */
  text: string;
  isHidden?: boolean;
  add(): Promise<string>;
  update?(id: string): Promise<unknown>;
};

const idOf = (name: string): string => made.value[name]?.id ?? '';

/** Everything that is to be made, in its order; null until it is known. */
export function usePlan(): readonly Part[] | null {
  const { driverId } = draft.value;
  const ofDevice = useDeviceAttributes(driverId);
  const ofPoints = usePointAttributes(driverId);
  const { points } = usePlannedPoints();
  const alike = useAlike();
  if (ofDevice.data === null || ofPoints.data === null || points === null || !alike.isKnown)
    return null;
  const { data: pointAttributes } = ofPoints;
  return [
    ...(draft.value.profileId === '' ? newProfile() : []),
    device(),
    ...ofDevice.data.flatMap((attribute) => deviceConfig(attribute)),
    ...points.flatMap((point) =>
      pointAttributes.flatMap((attribute) =>
        pointConfig(point, attribute, pointValue(point.key, attribute, alike.configs)),
      ),
    ),
  ];
}

function newProfile(): Part[] {
  const { profileName, points } = draft.value;
  return [
    {
      name: 'profile',
      kind: 'profile',
      title: profileName,
      text: profileName,
      add: () => call('POST /manager/profile/add', { profileName }),
      update: (id) => call('POST /manager/profile/update', { id, profileName }),
    },
    ...points.map(({ key, name, type, rw, unit }): Part => ({
      name: key,
      kind: 'point',
      title: name,
      text: name,
      add: () =>
        call('POST /manager/point/add', {
          profileId: idOf('profile'),
          pointName: name,
          pointTypeFlag: type,
          rwFlag: rw,
          unit,
        }),
    })),
  ];
}

function device(): Part {
  const { deviceName, driverId, profileId } = draft.value;
  return {
    name: 'device',
    kind: 'device',
    title: deviceName,
    text: deviceName,
    add: () =>
      call('POST /manager/device/add', {
        deviceName,
        driverId,
        profileId: profileId || idOf('profile'),
      }),
    update: (id) => call('POST /manager/device/update', { id, deviceName }),
  };
}

/** Nothing is stored of what is as the driver says anyway, unless it was stored before. */
const isDue = (name: string, attribute: Attribute, value: string): boolean =>
  made.value[name] !== undefined || (value !== '' && value !== attribute.defaultValue);

function deviceConfig(attribute: Attribute): Part[] {
  const value = deviceValue(attribute);
  const name = `config ${attribute.id}`;
  if (!isDue(name, attribute, value)) return [];
  return [
    {
      name,
      kind: 'config',
      title: attribute.attributeName,
      text: value,
      isHidden: isSecret(attribute),
      add: () =>
        call('POST /manager/driver_attribute_config/add', {
          attributeId: attribute.id,
          deviceId: idOf('device'),
          configValue: value,
        }),
      update: (id) =>
        call('POST /manager/driver_attribute_config/update', { id, configValue: value }),
    },
  ];
}

function pointConfig(point: PlannedPoint, attribute: Attribute, value: string): Part[] {
  const name = `config ${attribute.id} ${point.key}`;
  if (!isDue(name, attribute, value)) return [];
  return [
    {
      name,
      kind: 'config',
      title: `${point.name}: ${attribute.attributeName}`,
      text: value,
      isHidden: isSecret(attribute),
      add: () =>
        call('POST /manager/point_attribute_config/add', {
          attributeId: attribute.id,
          deviceId: idOf('device'),
          pointId: draft.value.profileId === '' ? idOf(point.key) : point.key,
          configValue: value,
        }),
      update: (id) =>
        call('POST /manager/point_attribute_config/update', { id, configValue: value }),
    },
  ];
}

/** Makes the part unless it is there as it should be; what it throws left everything made before. */
export async function make(part: Part): Promise<void> {
  const { name, text, add, update } = part;
  const before = made.value[name];
  if (before?.text === text) return;
  if (before) await update?.(before.id);
  const id = before?.id ?? (await add());
  made.value = { ...made.value, [name]: { id, text } };
}

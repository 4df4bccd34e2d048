import { call } from '../../client/call.ts';
import { problemOf } from './attribute-field.tsx';
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

/** A setting with a value that its driver does not take. */
type Wrong = { title: string; problem: string };

/** Everything that is to be made, in its order, and what is wrong with it; null until it is known. */
export function usePlan(): { parts: readonly Part[]; wrong: readonly Wrong[] } | null {
  const { driverId } = draft.value;
  const ofDevice = useDeviceAttributes(driverId);
  const ofPoints = usePointAttributes(driverId);
  const { points } = usePlannedPoints();
  const alike = useAlike();
  if (ofDevice.data === null || ofPoints.data === null || points === null || !alike.isKnown)
    return null;
  const { data: pointAttributes } = ofPoints;
  const valueOf = (point: PlannedPoint, attribute: Attribute) =>
    pointValue(point.key, attribute, alike.configs);
  const parts = [
    ...(draft.value.profileId === '' ? newProfile() : []),
    device(),
    ...ofDevice.data.flatMap((attribute) => deviceConfig(attribute)),
    ...points.flatMap((point) =>
      pointAttributes.flatMap((attribute) =>
        pointConfig(point, attribute, valueOf(point, attribute)),
      ),
    ),
  ];
  const wrong = [
    ...ofDevice.data.flatMap((attribute) =>
      wrongIn(attribute.attributeName, attribute, deviceValue(attribute)),
    ),
    ...points.flatMap((point) =>
      pointAttributes.flatMap((attribute) =>
        wrongIn(titleOf(point, attribute), attribute, valueOf(point, attribute)),
      ),
    ),
  ];
  return { parts, wrong };
}

const titleOf = ({ name }: PlannedPoint, { attributeName }: Attribute): string =>
  `${name}: ${attributeName}`;

function wrongIn(title: string, attribute: Attribute, value: string): Wrong[] {
  const problem = problemOf(attribute, value);
  return problem === undefined ? [] : [{ title, problem }];
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
      title: titleOf(point, attribute),
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

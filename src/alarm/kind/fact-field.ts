import { type AttributeType, Quality } from '../../bus/topic/topics.ts';
import { isNumeric, rangeOf } from '../../manager/entity/value-type.ts';
import { EventLevel, EventType } from '../../manager/entity/value-type.ts';
import { type AlarmTarget, AlarmType } from './alarm.ts';

/** What a field of a fact can hold. `isAlways`: every fact has it. */
export type FactField = { isAlways?: true } & (
  | { is: 'text' | 'id' | 'time' | 'nothing' }
  | { is: 'number'; low: number; high: number; whole: boolean }
  | { is: 'among'; values: readonly (string | number | boolean)[] }
);

/** Fields that hold the value of a point, which one of bad quality does not have. */
export const VALUES: ReadonlySet<string> = new Set(['value', 'calValue', 'numValue', 'rawValue']);

/** How far a value is from the median of a group of devices, in its unit and in percent of the median. */
export const DEVIATIONS: ReadonlySet<string> = new Set(['deviation', 'deviationPercent']);

const text: FactField = { is: 'text' };
const id: FactField = { is: 'id', isAlways: true };
const time: FactField = { is: 'time', isAlways: true };
const said: FactField = { is: 'text', isAlways: true };
const among = (values: readonly (string | number)[]): FactField => ({
  is: 'among',
  values,
  isAlways: true,
});

const statusNames = ['ONLINE', ...Object.keys(AlarmType)];
const entity: Record<string, FactField> = {
  statusName: among(statusNames),
  status: among(statusNames.map((name) => name.toLowerCase())),
  message: said,
  alarmId: id,
  deviceId: id,
  driverId: id,
  createTime: time,
};
const event: Record<string, FactField> = {
  eventCode: said,
  eventType: among(Object.keys(EventType)),
  eventLevel: among(Object.keys(EventLevel)),
  eventTypeFlag: among(Object.values(EventType)),
  eventLevelFlag: among(Object.values(EventLevel)),
  message: said,
  deviceId: id,
  eventId: id,
  occurTime: time,
};

/** The fields of a fact about a target by name; of a point of this type, null for one of any. */
export function fieldsOf(
  target: AlarmTarget,
  type: AttributeType | null,
): Readonly<Record<string, FactField>> {
  if (target === 'EVENT') return event;
  if (target !== 'POINT') return entity;
  return {
    ...valueFields(type),
    ...deviationFields(type),
    rawValue: text,
    quality: among(Object.keys(Quality)),
    createTime: time,
    deviceId: id,
    pointId: id,
    driverId: id,
  };
}

function valueFields(type: AttributeType | null): Record<string, FactField> {
  if (type === 'STRING') return { value: text, calValue: text, numValue: { is: 'nothing' } };
  if (type === 'BOOLEAN') {
    const number: FactField = { is: 'among', values: [1, 0] };
    return { value: number, calValue: { is: 'among', values: [true, false] }, numValue: number };
  }
  const number: FactField = { is: 'number', ...rangeOf(type ?? 'DOUBLE') };
  return type !== null && isNumeric(type)
    ? { value: number, calValue: number, numValue: number }
    : { value: text, calValue: text, numValue: number };
}

/** Only numbers have a median. */
function deviationFields(type: AttributeType | null): Record<string, FactField> {
  const field: FactField =
    type === null || isNumeric(type) ? { is: 'number', ...rangeOf('DOUBLE') } : { is: 'nothing' };
  return Object.fromEntries([...DEVIATIONS].map((name) => [name, field]));
}

/** What a field of a fact can hold; null: it has no such field. Events carry parameters of any name. */
export function fieldOf(
  target: AlarmTarget,
  type: AttributeType | null,
  name: string,
): FactField | null {
  const fields = fieldsOf(target, type);
  if (Object.hasOwn(fields, name)) return fields[name] ?? null;
  return target === 'EVENT' && name !== 'paramValues' && !name.endsWith('.') ? text : null;
}

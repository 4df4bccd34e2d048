import * as openAlarm from '../src/alarm/search/open-alarm.ts';
import { allows } from '../src/auth/permission/permission.ts';
import type { Completer } from '../src/kernel/app/app.ts';
import { clean } from '../src/kernel/sentence/visible.ts';
import type { Named } from '../src/manager/find/name-list.ts';
import { type PlantNames, plantNames } from '../src/manager/find/plant-names.ts';

const MAX_VALUES = 100;
const MAX_NAME = 64;
const ALARMS = 'svc-center-data:dashboard:list';

const begins = (text: string, typed: string): boolean =>
  text.toLowerCase().startsWith(typed.toLowerCase());

/** From the names in memory: of the caller's tenant, and for a list that it may see. */
const ofNames =
  (
    list: 'devices' | 'points',
    permission: string,
    shown: (named: Named, typed: string) => string | null,
  ): Completer =>
  async (app, caller, typed) => {
    if (!allows(caller, permission)) return [];
    const names: PlantNames = await plantNames(app, caller.tenantId);
    const values: string[] = [];
    for (const { named } of names[list].entries) {
      const value = shown(named, typed);
      if (value !== null && !values.includes(value)) values.push(value);
      if (values.length === MAX_VALUES) break;
    }
    return values;
  };

const name = (named: Named, typed: string) =>
  begins(named.name, typed) ? clean(named.name, MAX_NAME) : null;
/** An address takes ids: those that begin so, and those of what is named so. */
const id = (named: Named, typed: string) =>
  begins(named.id, typed) || begins(named.name, typed) ? named.id : null;

const DEVICES = 'svc-center-manager:device:list';
const POINTS = 'svc-center-manager:point:list';

export const deviceNames = ofNames('devices', DEVICES, name);

/** Ids of alarms that are open, those that fire first; typed is the beginning of an id or of a device's name. */
export const openAlarmIds: Completer = async (app, caller, typed) => {
  if (!allows(caller, ALARMS)) return [];
  const { alarms } = await openAlarm.activeAlarms(app, caller, { limit: MAX_VALUES });
  return alarms
    .filter(({ alarmId, deviceName }) => begins(alarmId, typed) || begins(deviceName ?? '', typed))
    .map(({ alarmId }) => alarmId);
};

/** For the variables of addresses. */
export const byVariable: Record<string, Completer> = {
  deviceId: ofNames('devices', DEVICES, id),
  pointId: ofNames('points', POINTS, id),
  alarmId: openAlarmIds,
};

import { z } from 'zod';

import type { Ask } from './ledger.ts';

const Found = z.object({ records: z.array(z.looseObject({})) });
const Alarm = z.looseObject({ alarmId: z.string() });
const Card = z.looseObject({ actionId: z.string() });

/** What people do while the policy waits. */
export type People = {
  confirm(actionId: string): Promise<unknown>;
  reject(actionId: string, reason: string): Promise<unknown>;
};

const OUTLET = 'outlet temperature';
const SET_POINT = 'outlet set-point';
export const WHY_NOT = 'not during the repair';

/**
 * What a plain agent does with each task: the words of the task, tools of the list and what their answers
 * say; no id that an answer did not give.
 */
export const policies = {
  exists: (ask: Ask) => ask('searchDevices'),
  value: (ask: Ask) => ask('getLatestPointValue', { pointId: `boiler 2 ${OUTLET}` }),
  trend: (ask: Ask) => ask('getPointValueHistory', { points: [`boiler 1 ${OUTLET}`] }),
  compare: (ask: Ask) =>
    ask('getPointValueHistory', {
      points: [1, 2, 3].map((boiler) => `boiler ${boiler} ${OUTLET}`),
    }),
  async alarms(ask: Ask) {
    const found = await ask('searchAlarms');
    const { alarmId } = Alarm.parse(Found.parse(found).records[0]);
    return { found, first: await ask('lookupAlarmById', { alarmId }) };
  },
  async write(ask: Ask, { confirm }: People) {
    const card = Card.parse(await propose(ask, `boiler 1 ${SET_POINT}`, 61));
    await confirm(card.actionId);
    return { card, end: await ask('lookupActionById', { actionId: card.actionId, waitS: 60 }) };
  },
  outOfRange: (ask: Ask) => propose(ask, `boiler 1 ${SET_POINT}`, 120),
  readOnly: (ask: Ask) => propose(ask, `boiler 1 ${OUTLET}`, 50),
  offline: (ask: Ask) => propose(ask, 'room 202 set-point', 21),
  async twice(ask: Ask) {
    const first = await propose(ask, `boiler 3 ${SET_POINT}`, 62);
    return { first, second: await propose(ask, `boiler 3 ${SET_POINT}`, 62) };
  },
  async rejected(ask: Ask, { reject }: People) {
    const { actionId } = Card.parse(await propose(ask, `boiler 3 ${SET_POINT}`, 63));
    await reject(actionId, WHY_NOT);
    return ask('lookupActionById', { actionId, waitS: 60 });
  },
  unit: (ask: Ask) => ask('searchPointValues', { unit: 'bar' }),
  silent: (ask: Ask) => ask('searchPointValues', { olderThanS: 600 }),
  handover: (ask: Ask) => ask('getHandover', { since: '8' }),
  changes: (ask: Ask) => ask('searchChanges', { since: '24', maxTokens: 800 }),
  hidden: (ask: Ask) => ask('searchPointValues', { point: 'operator note' }),
};

const propose = (ask: Ask, pointId: string, value: number) =>
  ask('writePointValue', { pointId, value, reason: 'asked by the shift' });

export type Task = keyof typeof policies;
export type Answers = { [task in Task]: Awaited<ReturnType<(typeof policies)[task]>> };

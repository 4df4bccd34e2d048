import { z } from 'zod';

import { LIMIT, type ChancePlant, STEP } from './chance-plant.ts';
import type { Ask, Fact } from './ledger.ts';
import { HIDDEN } from './site.ts';

export const Row = z.looseObject({});
const Rows = z.object({ rows: z.array(z.array(z.unknown())) });
export const Series = z.object({ series: z.array(z.looseObject({ deviceName: z.string() })) });
export const Records = z.object({ records: z.array(Row) });
export const Card = z.looseObject({ actionId: z.string(), say: z.string() });

/** A task of an operator: what an agent asks, and what it has to be answered. */
export type Task = { name: string; run(ask: Ask, plant: ChancePlant): Promise<Fact[]> };

export const pick = (row: Record<string, unknown> | undefined, ...keys: string[]): unknown[] =>
  keys.map((key) => row?.[key]);
const propose = async (ask: Ask, pointId: string, value: number) =>
  ask('writePointValue', { pointId, value, reason: 'asked by the shift' });

/** A time as the plant has it, to the minute. */
const minuteIn = (zone: string, at: number): string => {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  return `${local.toPlainDateTime().toString().slice(0, 16)}${local.offset}`;
};
const isNear = (said: unknown, at: number): boolean =>
  Math.abs(Date.parse(String(said)) - at) <= STEP;

export const operatorTasks: readonly Task[] = [
  {
    name: 'what there is, and what is down',
    async run(ask, { site, chance, tables }) {
      const all = await ask('searchDevices', { limit: 1 });
      const down = Records.parse(await ask('searchDevices', { status: 'never connected' })).records;
      return [
        ['devices', all['total'], site.devices],
        ['of the table', (await tables()).devices, site.devices],
        [
          'down',
          down.map(({ deviceName }) => String(deviceName)).toSorted(),
          [chance.device('valve', 5), chance.device('valve', 6)].toSorted(),
        ],
      ];
    },
  },
  {
    name: 'a value',
    async run(ask, { chance, series }) {
      const answer = await ask('getLatestPointValue', { pointId: chance.named('room', 2) });
      return [
        ['value', Number(answer['value']), series.latest.get('room 2')],
        ['place', pick(answer, 'deviceName', 'unit'), [chance.device('room', 2), '°C']],
      ];
    },
  },
  {
    name: 'what was odd',
    async run(ask, { chance, series }) {
      const { spike } = chance;
      const answer = await ask('getPointValueHistory', {
        points: [chance.named('room', spike.room)],
      });
      const [one] = Series.parse(answer).series;
      const found = z
        .array(z.looseObject({ at: z.string(), peak: z.number() }))
        .parse(one?.['spikes']);
      const at = series.now - (287 - spike.at) * STEP;
      return [
        ['spike', found.map(({ peak }) => peak), [spike.peak]],
        ['when', found.map((row) => isNear(row.at, at)), [true]],
        ['in the time of the plant', found[0]?.at.slice(16), minuteIn(chance.zone, at).slice(16)],
      ];
    },
  },
  {
    name: 'comparing',
    async run(ask, { chance, series }) {
      const points = [1, 2, 3, 4].map((n) => chance.named('inverter', n));
      const found = Series.parse(await ask('getPointValueHistory', { points })).series;
      return [
        [
          'last',
          found.map(({ last }) => Row.parse(last)['value']),
          points.map((_, n) => series.latest.get(`inverter ${n + 1}`)),
        ],
        [
          'gap',
          found.map(({ gaps }) => (Array.isArray(gaps) ? gaps.length : 0)),
          points.map((_, n) => Number(n + 1 === chance.gap.inverter)),
        ],
      ];
    },
  },
  {
    name: 'alarms and why',
    async run(ask, { chance }) {
      const found = await ask('searchAlarms');
      const [first] = Records.parse(found).records;
      const why = await ask('lookupAlarmById', { alarmId: first?.['alarmId'] });
      return [
        ['counts', Row.parse(found['counts'])['firing'], 1],
        [
          'which',
          pick(first, 'state', 'level', 'device', 'rule'),
          ['FIRING', 'P1', chance.device('pump', chance.stoppedPump), 'Pump slow'],
        ],
        ['why', pick(why, 'condition', 'value'), [`< ${LIMIT} rpm`, '12 rpm']],
      ];
    },
  },
  {
    name: 'a write to its end',
    async run(ask, { chance, confirm, tables }) {
      const [value] = chance.setPoints;
      const card = Card.parse(await propose(ask, chance.named('valve', 1), value));
      await confirm(card.actionId);
      const end = await ask('lookupActionById', { actionId: card.actionId, waitS: 50 });
      const written = (await tables()).commandsOf(card.actionId);
      return [
        [
          'card',
          pick(card, 'status', 'currentValue', 'proposedValue', 'done'),
          ['PENDING', '60', String(value), false],
        ],
        ['end', pick(end, 'status', 'done', 'decidedName'), ['EXECUTED', true, 'anna']],
        ['commands', written.map(({ requestValue }) => requestValue), [String(value)]],
      ];
    },
  },
  {
    name: 'out of range',
    async run(ask, { chance }) {
      const { refused } = await propose(ask, chance.named('valve', 1), 120);
      return [['limits', /40 % to 85 %/.test(String(refused)), true]];
    },
  },
  {
    name: 'read-only',
    async run(ask, { chance }) {
      const { refused } = await propose(ask, chance.named('room', 1), 5);
      return [
        [
          'refused',
          /not writable|read-only|cannot be written|writable points/i.test(String(refused)),
          true,
        ],
      ];
    },
  },
  {
    name: 'a device that never connected',
    async run(ask, { chance, tables }) {
      const answer = await propose(ask, chance.named('valve', 6), 50);
      return [
        [
          'card',
          pick(answer, 'deviceName', 'deviceStatus', 'status'),
          [chance.device('valve', 6), 'unknown', 'PENDING'],
        ],
        ['nothing written', (await tables()).commandsOf(String(answer['actionId'])), []],
      ];
    },
  },
  {
    name: 'twice',
    async run(ask, { chance, tables }) {
      const first = await propose(ask, chance.named('valve', 3), 62);
      const second = await propose(ask, chance.named('valve', 3), 62);
      const stored = (await tables()).actions.filter(({ proposedValue }) => proposedValue === '62');
      return [
        ['one', second['actionId'], first['actionId']],
        ['says so', second['repeated'], true],
        ['in the table', stored.length, 1],
      ];
    },
  },
  {
    name: 'rejected',
    async run(ask, { chance, reject }) {
      const { actionId } = Card.parse(await propose(ask, chance.named('valve', 3), 63));
      await reject(actionId, 'not now');
      const end = await ask('lookupActionById', { actionId });
      return [
        [
          'end',
          pick(end, 'status', 'done', 'decidedName', 'comment'),
          ['REJECTED', false, 'anna', 'not now'],
        ],
      ];
    },
  },
  {
    name: 'by unit',
    async run(ask, { chance, series }) {
      const { rows } = Rows.parse(await ask('searchPointValues', { unit: chance.rpm }));
      return [
        [
          'values',
          rows.map(([device, , value]) => [device, value]).toSorted(byName),
          [1, 2, 3, 4, 5, 6]
            .map((n) => [
              chance.device('pump', n),
              n === chance.stoppedPump ? 12 : series.latest.get(`pump ${n}`),
            ])
            .toSorted(byName),
        ],
      ];
    },
  },
  {
    name: 'silent',
    async run(ask, { chance }) {
      const { rows } = Rows.parse(await ask('searchPointValues', { olderThanS: 1_200 }));
      return [
        [
          'which',
          rows.map(([device]) => String(device)).toSorted(),
          [
            chance.device('room', 6),
            chance.device('valve', 5),
            chance.device('valve', 6),
          ].toSorted(),
        ],
      ];
    },
  },
  {
    name: 'handover',
    async run(ask, { tables }) {
      const answer = await ask('getHandover', { since: '8' });
      const pending = z.array(Row).parse(answer['pending']);
      const waiting = (await tables()).actions.filter(({ status }) => status === 0);
      return [
        ['alarms', Row.parse(answer['alarms'])['firing'], 1],
        ['never connected', Row.parse(answer['outages'])['neverConnected'], 2],
        ['pending', pending.length, waiting.length],
      ];
    },
  },
  {
    name: 'who changed what',
    async run(ask, { chance }) {
      const { records } = Records.parse(
        await ask('searchChanges', { since: '24', maxTokens: 800 }),
      );
      const written = records.filter(({ what }) => what === 'write');
      const said = written.map((row) => pick(row, 'by', 'device', 'from', 'to', 'result'));
      return [
        [
          'writes',
          said.toSorted(byName),
          [
            [
              '“tour” proposed, “anna” confirmed',
              chance.device('valve', 1),
              '60',
              String(chance.setPoints[0]),
              'EXECUTED',
            ],
            [
              '“planner” proposed, “ben” confirmed',
              chance.device('valve', 2),
              '60',
              '58',
              'EXECUTED',
            ],
          ].toSorted(byName),
        ],
      ];
    },
  },
  {
    name: 'a hidden order',
    async run(ask, { tables }) {
      const { rows } = Rows.parse(await ask('searchPointValues', { point: 'operator note' }));
      const { actions, commands } = await tables();
      return [
        ['a value', rows.map((row) => row.slice(0, 2)), [[HIDDEN.device, 'operator note']]],
        ['not proposed', actions.filter(({ proposedValue }) => proposedValue === '85'), []],
        ['writes', commands.filter(({ actionId }) => actionId !== null).length, 2],
      ];
    },
  },
];

const byName = (one: readonly unknown[], other: readonly unknown[]): number =>
  String(one).localeCompare(String(other));

import { z } from 'zod';

import { ENDPOINT } from './chance-plant.ts';
import { Card, pick, Records, Row, Series, type Task } from './chance-tasks.ts';

const Plan = z.looseObject({ actionId: z.string(), writes: z.array(Row) });
const Handover = z.looseObject({ pending: z.array(Row).optional(), changes: z.array(Row) });
const found = (name: string, args: object) => ({ name, arguments: JSON.stringify(args) });
const meters = [1, 2, 3, 4, 5];

/** What takes several tools, or those that are found. */
export const harderTasks: readonly Task[] = [
  {
    name: 'why, and what to do',
    async run(ask, { chance }) {
      const [first] = Records.parse(await ask('searchAlarms')).records;
      const why = await ask('lookupAlarmById', { alarmId: first?.['alarmId'] });
      return [
        ['instruction', why['instruction'], 'Open the bypass.'],
        ['place', why['device'], chance.device('pump', chance.stoppedPump)],
      ];
    },
  },
  {
    name: 'a rule with a threshold from history',
    async run(ask, { chance }) {
      const { spike } = chance;
      const draft = { pointId: chance.named('room', spike.room), operator: '>', threshold: 0 };
      const tried = await ask('runTool', found('previewRule', { ...draft, days: 2 }));
      const rule = await ask(
        'proposeTool',
        found('proposeRule', { ...draft, ruleName: 'too warm' }),
      );
      return [
        ['would have fired', tried['count'], 1],
        ['on the card', pick(rule, 'status', 'alarmsAfter'), ['PENDING', 1]],
      ];
    },
  },
  {
    name: 'three set-points as one, and undone',
    async run(ask, { chance, confirm, tables }) {
      const values = chance.setPoints.map((value) => value + 20);
      const writes = values.map((value, n) => ({ pointId: chance.named('valve', n + 1), value }));
      const plan = Plan.parse(await ask('proposeWrites', { writes, reason: 'warmer' }));
      const before = plan.writes.map(({ currentValue }) => String(currentValue));
      await confirm(plan.actionId);
      const end = await ask('lookupActionById', { actionId: plan.actionId, waitS: 50 });
      const undo = Plan.parse(
        await ask('proposeTool', found('proposeUndo', { actionId: plan.actionId })),
      );
      await confirm(undo.actionId);
      const undone = await ask('lookupActionById', { actionId: undo.actionId, waitS: 50 });
      const { commandsOf } = await tables();
      const written = (actionId: string) =>
        commandsOf(actionId)
          .map(({ requestValue }) => String(requestValue))
          .toSorted();
      return [
        ['before', before, [String(chance.setPoints[0]), '58', '60']],
        ['end', pick(end, 'status', 'done'), ['EXECUTED', true]],
        ['written', written(plan.actionId), values.map(String).toSorted()],
        ['undone', pick(undone, 'status', 'done'), ['EXECUTED', true]],
        ['written back', written(undo.actionId), before.toSorted()],
      ];
    },
  },
  {
    name: 'what is unhealthy',
    async run(ask) {
      const { counts, worst } = await ask('runTool', found('getUnhealthy', {}));
      const [first] = z.array(Row).parse(worst);
      return [
        ['counts', pick(Row.parse(counts), 'firing', 'neverConnected'), [1, 2]],
        ['worst', first?.['kind'], 'alarm'],
      ];
    },
  },
  {
    name: 'this week and the one before',
    async run(ask, { chance }) {
      const points = [1, 2, 3, 4, 5, 6].map((n) => chance.named('pump', n));
      const answer = await ask('getPointValueHistory', {
        points,
        hours: 168,
        compare: true,
        maxTokens: 3_000,
      });
      const { series } = Series.parse(answer);
      const { faster } = chance;
      const by = series.map(({ comparedToBefore }) => Number(Row.parse(comparedToBefore)['mean']));
      return [
        [
          'faster',
          by.map((mean, n) => Math.abs(mean - (n + 1 === faster.pump ? faster.by : 0)) < 12),
          by.map(() => true),
        ],
      ];
    },
  },
  {
    name: 'energy of each day',
    async run(ask, { chance, series }) {
      const now = Temporal.Instant.fromEpochMilliseconds(series.now).toZonedDateTimeISO(
        chance.zone,
      );
      const from = now.startOfDay().subtract({ days: 1 });
      const points = meters.map((n) => chance.named('meter', n));
      const answer = await ask('getPointValueHistory', {
        points,
        from: from.toInstant().toString(),
        every: '1d',
      });
      const { series: digested } = Series.parse(answer);
      const times = series.meters[0]?.map((_, half) => series.now - (119 - half) * 1_800_000) ?? [];
      const today = now.startOfDay().epochMilliseconds;
      const truth = [
        2 * times.filter((at) => at >= from.epochMilliseconds && at < today).length,
        2 * times.filter((at) => at >= today).length,
      ].filter((kWh) => kWh > 0);
      const isTrue = (rose: unknown, kWh: number) => Math.abs(Number(rose) - kWh) <= 2;
      return [
        [
          'kWh of each day',
          digested.map(({ every }) => {
            const days = z.array(Row).parse(every);
            return (
              days.length === truth.length &&
              days.every(({ increase }, day) => isTrue(increase, truth[day] ?? NaN))
            );
          }),
          meters.map(() => true),
        ],
        [
          'kWh',
          digested.map(({ increase }) =>
            isTrue(
              increase,
              truth.reduce((sum, kWh) => sum + kWh, 0),
            ),
          ),
          meters.map(() => true),
        ],
      ];
    },
  },
  {
    name: 'a maintenance',
    async run(ask, { world }) {
      const end = new Date(world.clock.now() + 7_200_000).toISOString();
      const asked = { maintenanceName: 'new bearings', groupIds: ['pumps'], end };
      const { say } = Card.parse(await ask('proposeTool', found('proposeMaintenance', asked)));
      return [['covers', /It covers 6 devices, where 1 alarm fired/.test(say), true]];
    },
  },
  {
    name: 'firmware of two devices',
    async run(ask, { chance }) {
      const deviceIds = [1, 2, 3].map((n) => chance.device('room', n));
      const asked = { packageId: 'Chiller 2.0.0', deviceIds };
      const answer = await ask('proposeTool', found('proposeFirmware', asked));
      return [
        ['devices', pick(answer, 'status', 'deviceCount'), ['PENDING', 2]],
        [
          'left out',
          z
            .array(Row)
            .parse(answer['leftOut'])
            .map(({ deviceName }) => deviceName),
          [chance.device('room', 3)],
        ],
      ];
    },
  },
  {
    name: 'onboarding of what waits',
    async run(ask, { chance, confirm }) {
      const [waits] = Records.parse(
        await ask('runTool', found('searchWaitingDevices', {})),
      ).records;
      const asked = { waitingId: waits?.['waitingId'] };
      const { actionId, say } = Card.parse(
        await ask('proposeTool', found('proposeOnboarding', asked)),
      );
      await confirm(actionId);
      const end = await ask('lookupActionById', { actionId });
      return [
        ['waits', waits?.['endpoint'], ENDPOINT],
        ['card', say.includes(`the device “${chance.device('valve', 5)}”`), true],
        ['end', pick(end, 'status', 'done'), ['EXECUTED', true]],
      ];
    },
  },
  {
    name: 'a silence of the alarm',
    async run(ask) {
      const [first] = Records.parse(await ask('searchAlarms')).records;
      const asked = { alarmId: first?.['alarmId'], hours: 2 };
      const answer = await ask('proposeTool', found('proposeSilence', asked));
      const { say } = Card.parse(answer);
      return [
        ['card', answer['status'], 'PENDING'],
        ['hours', say.includes('for 2 h'), true],
        ['which', say.includes('Pump slow') || say.includes('12 rpm'), true],
      ];
    },
  },
  {
    name: 'the handover of the next shift',
    async run(ask, { tables }) {
      const answer = await ask('getHandover', { since: '12' });
      const waiting = (await tables()).actions.filter(({ status }) => status === 0);
      const ids = waiting.map(({ actionId }) => actionId);
      const { pending = [], changes } = Handover.parse(answer);
      const isListed = (actionId: string) => pending.some((one) => one['actionId'] === actionId);
      return [
        ['listed waits', pending.every(({ actionId }) => ids.includes(String(actionId))), true],
        [
          'all that waits, or that there is more',
          ids.every(isListed),
          answer['pendingMore'] !== true,
        ],
        ['written first', changes[0]?.['what'], 'write'],
      ];
    },
  },
];

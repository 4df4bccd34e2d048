import { z } from 'zod';

import { createDeadLetterStore } from '../../../../src/data/dashboard/dead-letter-store.ts';
import { fresh } from '../../world/fresh-name.ts';
import type { Site } from '../site.ts';
import type { Add, Examples } from './example.ts';

const DATA = '/api/v3/data';
const Imported = z.object({ importId: z.string() });

export function dataExamples({ mine, platform, own, plant, world }: Site, add: Add): Examples {
  const { app, clock } = world;
  const { deviceId, target: pointId, temperature } = plant;
  const alarm = { source: 'point', id: own.alarm };
  let values = 0;
  /** A value other than all before, within the limits of the point. */
  const another = (): number => 5 + ((values += 1) % 200) / 10;
  const after = async (verb: 'confirm' | 'unconfirm') => {
    await mine.data(`${DATA}/dashboard/alert/${verb}`, alarm);
    return { input: alarm };
  };
  /** A message that its driver takes and forgets. */
  const deadLetter = async () => {
    await createDeadLetterStore(app).add({
      topic: 'svc.e.metadata',
      queue: `svc.q.metadata.VirtualDriver.${app.config.node}`,
      key: 'VirtualDriver',
      messageId: fresh('letter'),
      reason: 'rejected',
      at: new Date(clock.now()),
      payload: { kind: 'resync', node: 'elsewhere' },
    });
    return { input: { all: true }, session: platform };
  };
  return {
    // Names are looked up for the kinds of things that the changes are about.
    'data/change/list': async () => ({ input: { deviceId: own.device } }),
    'data/point_value/trend': async () => ({
      input: {
        pairs: [
          { deviceId, pointId },
          { deviceId, pointId: temperature },
        ],
        from: new Date(clock.now() - 3_600_000).toISOString(),
        to: new Date(clock.now()).toISOString(),
      },
    }),
    'data/point_value/why': async () => ({ input: { deviceId, pointId } }),
    'data/point_value/import': async () => {
      const createTime = new Date(clock.now() - 3_600_000).toISOString();
      const value = { deviceId, pointId: temperature, value: String(another()), createTime };
      return { input: { values: [value] } };
    },
    'data/rule/preview': async () => ({
      input: {
        pointId: temperature,
        deviceId,
        ruleExt: { content: { condition: { field: 'value', operator: '>', threshold: 90 } } },
      },
    }),
    'data/rule/drill': async () => ({
      input: { deviceId, at: new Date(clock.now()).toISOString() },
    }),
    'data/point_command/read': async () => ({
      input: { deviceId, pointId },
      until: 'svc.e.point_command_result',
    }),
    'data/point_command/write': async () => ({
      input: { deviceId, pointId, value: String(another()) },
      until: 'svc.e.point_command_result',
    }),
    'data/command_history/call': async () => ({
      input: { deviceId: own.device, commandId: own.command, paramValues: { volume: '5' } },
      until: 'svc.e.command_result',
    }),
    'data/event_history/report': async () => ({
      input: { deviceId: own.device, eventId: own.event },
    }),
    'data/event_history/acknowledge': async () => ({
      input: { recordId: await add('data/event_history/report') },
    }),
    'data/dashboard/alert/confirm': () => after('unconfirm'),
    'data/dashboard/alert/unconfirm': () => after('confirm'),
    'data/dashboard/alert/unsilence': async () => {
      const until = new Date(clock.now() + 60_000).toISOString();
      await mine.data(`${DATA}/dashboard/alert/silence`, { id: own.alarm, until });
      return { input: { id: own.alarm } };
    },
    'data/dashboard/alert/bulk_confirm': async () => {
      await after('unconfirm');
      return { input: { confirm: true, items: [alarm] } };
    },
    'data/maintenance/add': async () => ({
      input: {
        maintenanceName: fresh('maintenance'),
        scopeFlag: 'DEVICE',
        entityIds: [own.device],
        modeFlag: 'MARK',
        beginTime: new Date(clock.now() + 3_600_000).toISOString(),
        endTime: new Date(clock.now() + 7_200_000).toISOString(),
      },
    }),
    'data/point_value/delete': async () => ({
      input: {
        deviceId,
        pointId: temperature,
        from: new Date(clock.now() - 86_400_000).toISOString(),
        to: new Date(clock.now() - 80_000_000).toISOString(),
        reason: 'mounted wrong',
      },
    }),
    'data/point_value/import/undo': async () => {
      const createTime = new Date(clock.now() - 7_200_000).toISOString();
      const value = { deviceId, pointId: temperature, value: String(another()), createTime };
      const imported = await mine.data(`${DATA}/point_value/import`, { values: [value] });
      const { importId: id } = Imported.parse(imported);
      return { input: { id, reason: 'of another plant' } };
    },
    'data/retention_class/add': async () => ({
      input: {
        className: fresh('class'),
        valueDays: 30,
        profileIds: [await add('manager/profile/add')],
      },
    }),
    'data/maintenance/end': async () => {
      const beginTime = new Date(clock.now()).toISOString();
      return { input: { id: await add('data/maintenance/add', { beginTime }) } };
    },
    'data/dashboard/alert/assign': async () => ({ input: { id: own.alarm, principalId: '0' } }),
    'data/dashboard/alert/to_confirm': async () => ({ input: { ids: [own.alarm] } }),
    'data/dashboard/alert/confirm_all': async () => {
      await after('unconfirm');
      return { input: { ids: [own.alarm] } };
    },
    'data/notify/channel/bind/add': async () => ({
      input: { notifyId: own.notify, channelId: await add('data/notify/channel/add') },
    }),
    // Its input is a signed text.
    'data/notify/channel/answer': async () => ({ input: {}, status: 400 }),
    'data/dead_letter/replay': deadLetter,
    'data/dead_letter/drop': deadLetter,
  };
}

import { z } from 'zod';

import { evaluate } from '../../../src/alarm/rule/evaluate.ts';
import { webhookSecret } from '../neighbours/delivery.ts';
import type { Session } from '../people/session.ts';
import type { World } from '../world/app.ts';
import { eventually } from '../world/eventually.ts';
import { fresh } from '../world/fresh-name.ts';
import { onboardQuiet } from './plant.ts';

export const DATA = '/api/v3/data';

export const History = z.looseObject({
  id: z.string(),
  channelId: z.string(),
  alarmId: z.string(),
  channelTypeFlag: z.number(),
  target: z.string(),
  statusFlag: z.number(),
  eventFlag: z.string(),
  deliveryId: z.string(),
  retryCount: z.number(),
  errorMessage: z.string(),
  nextTryTime: z.string().nullable(),
  requestExt: z.looseObject({ title: z.string(), text: z.string(), missing: z.array(z.string()) }),
  responseExt: z.record(z.string(), z.unknown()),
});
export type History = z.infer<typeof History>;
const Histories = z.object({ records: z.array(History) });
const State = z.looseObject({
  entityStateFlag: z.number(),
  alarmId: z.string(),
  lastNotifyTime: z.string().nullable(),
  entityStateExt: z.looseObject({
    notified: z.object({
      event: z.string(),
      told: z.number(),
      suppressed: z.array(z.object({ channelId: z.string(), reason: z.string() })),
    }),
  }),
});

/** status_flag (docs/specification/alarms.md, Enumerations). */
export const SENT = 1;
export const SUCCESS = 2;
export const FAILED = 3;
export const RETRY = 4;

export const addTo = async (session: Session, path: string, body: object): Promise<string> =>
  z.string().parse(await session.data(`${DATA}/${path}/add`, body));

type ChannelGiven = { target: string; bindExt?: object; [field: string]: unknown };

/** A webhook to `target`, or another kind of channel where that is said. */
export const channelTo = (session: Session, given: Record<string, unknown>) =>
  addTo(session, 'notify/channel', {
    channelName: fresh('channel'),
    channelTypeFlag: 'WEBHOOK',
    ...((given['channelTypeFlag'] ?? 'WEBHOOK') === 'WEBHOOK' ? { credential: webhookSecret } : {}),
    ...given,
  });

type Watched = {
  channels?: readonly ChannelGiven[];
  notify?: object;
  rule?: object;
  content?: object;
  messageId?: string;
};

/** A rule on the temperature of a new room (above 90), whose policy tells over these channels. */
export async function watch(
  world: World,
  { channels = [], notify = {}, rule = {}, content = {}, messageId = '0' }: Watched,
  session: Session = world.admin,
) {
  const notifyId = await addTo(session, 'notify', { notifyName: fresh('policy'), ...notify });
  const channelIds: string[] = [];
  for (const { bindExt, ...given } of channels) {
    const channelId = await channelTo(session, given);
    channelIds.push(channelId);
    await addTo(session, 'notify/channel/bind', {
      notifyId,
      channelId,
      ...(bindExt ? { bindExt: { content: bindExt } } : {}),
    });
  }
  const plant = await onboardQuiet(world, session);
  const ruleId = await addTo(session, 'rule', {
    ruleName: fresh('too hot'),
    alarmTargetTypeFlag: 'POINT',
    entityId: plant.temperature,
    notifyId,
    messageId,
    ruleExt: {
      content: {
        condition: { field: 'calValue', operator: '>', threshold: 90 },
        severity: 'P1',
        ...content,
      },
    },
    ...rule,
  });
  const { deviceId, driverId, temperature: pointId } = plant;
  let last = 0;
  /** A value measured now, on the clock of the platform. */
  const measure = (value: number) => {
    last = Math.max(world.clock.now(), last + 1);
    const values = { calValue: String(value) };
    return evaluate(world.app, session.tenantId, 'POINT', [
      { entityId: pointId, deviceId, driverId, pointId, values, at: last },
    ]);
  };
  /** Oldest first. */
  const history = async (): Promise<History[]> =>
    Histories.parse(
      await session.data(`${DATA}/notify/history/list`, { ruleId, page: { size: 100 } }),
    ).records.toReversed();
  const state = async () =>
    z
      .object({ records: z.array(State).min(1) })
      .parse(await session.data(`${DATA}/rule/state/list`, { ruleId })).records[0];
  /** The history, as soon as all of it stands where that is wanted. */
  const until = (...statuses: number[]): Promise<History[]> =>
    eventually(
      history,
      (rows) =>
        rows.length === statuses.length && rows.every((row, i) => row.statusFlag === statuses[i]),
    );
  /** Every message so far was taken. */
  const delivered = (): Promise<History[]> =>
    eventually(history, (rows) => rows.every(({ statusFlag }) => statusFlag === SUCCESS));
  return { plant, ruleId, notifyId, channelIds, measure, history, state, until, delivered };
}

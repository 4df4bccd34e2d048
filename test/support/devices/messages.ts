import { z } from 'zod';

import { sweepLedger } from '../../../src/alarm/ledger/loop.ts';
import { status, type WebhookReceiver } from '../neighbours/webhook-receiver.ts';
import type { Session } from '../people/session.ts';
import type { World } from '../world/app.ts';
import { eventually } from '../world/eventually.ts';
import { DATA, watch } from './notify.ts';

const Message = z.object({
  type: z.string(),
  data: z.looseObject({
    alarmId: z.string(),
    tenantId: z.string(),
    level: z.string(),
    subject: z.string(),
    text: z.string(),
    group: z.object({ count: z.number(), alarmIds: z.array(z.string()) }).optional(),
  }),
});
type Message = z.infer<typeof Message>;

export type Watching = Awaited<ReturnType<typeof watch>>;

/** What a webhook gets about alarms of rules under one policy, alone or several in a message. */
export function messagesAt(
  hook: WebhookReceiver,
  world: World,
  by: () => Session = () => world.admin,
) {
  const taken = (): Message[] =>
    hook.received
      .map(({ body }) => Message.parse(JSON.parse(body)))
      .filter(({ data }) => data.tenantId === by().tenantId);
  const shortOf = ({ type, data }: Message): string => `${type} ${data.group?.count ?? 1}`;
  return {
    taken,
    shortOf,
    /** Before each test. */
    reset(): void {
      hook.received.length = 0;
      hook.answer(status(204));
    },
    /** What the receiver got, as `type count`, once it is that. */
    gets: (...wanted: string[]) =>
      eventually(
        async () => taken().map(shortOf),
        (all) => JSON.stringify(all) === JSON.stringify(wanted),
      ),
    /** The receiver answered so many requests. */
    asked: (requests: number) =>
      eventually(
        async () => hook.received.length,
        (count) => count === requests,
      ),
    async later(ms: number): Promise<void> {
      world.clock.shift(ms);
      await sweepLedger(world.app);
    },
    /** Rules of these levels at places of their own, under one policy with one channel. */
    async rulesOf(content: object, levels: readonly string[], channel: object = {}, rule = {}) {
      const first = await watch(
        world,
        {
          channels: [{ target: hook.url, ...channel }],
          notify: { notifyExt: { content } },
          content: { severity: levels[0], ...rule },
        },
        by(),
      );
      const { notifyId } = first;
      const all = [first];
      for (const severity of levels.slice(1))
        all.push(await watch(world, { rule: { notifyId }, content: { severity } }, by()));
      return all;
    },
    all: async (rules: readonly Watching[], value: number): Promise<void> => {
      for (const { measure } of rules) await measure(value);
    },
    change: (id: string, content: object) =>
      by().data(`${DATA}/notify/update`, { id, notifyExt: { content } }),
  };
}

export const alarmIdOf = async ({ state }: Watching): Promise<string> =>
  (await state())?.alarmId ?? '';

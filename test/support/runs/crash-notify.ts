import { z } from 'zod';

import { add, onboard } from '../devices/plant.ts';
import { webhookSecret } from '../neighbours/delivery.ts';
import {
  startWebhookReceiver,
  verified,
  type WebhookReceiver,
} from '../neighbours/webhook-receiver.ts';
import { login, type Session } from '../people/session.ts';
import { testEnvironment } from '../world/environment.ts';
import { eventually } from '../world/eventually.ts';
import { fresh } from '../world/fresh-name.ts';
import { type Server, startServer } from '../world/server.ts';

const DATA = '/api/v3/data';

/** Before the alarm is committed, before it is announced, before its message leaves, and after. */
export const notifyPoints = ['alarm', 'alarm-committed', 'notify-claimed', 'notify-sent'] as const;
export type NotifyPoint = (typeof notifyPoints)[number];

/** What became of one alarm that a crash interrupted. */
export type Told = {
  point: NotifyPoint;
  alarms: number;
  /** status_flag of each notification. */
  statuses: number[];
  /** Requests that the receiver got of it, and their different `webhook-id`s. */
  requests: number;
  ids: number;
  seconds: number;
};

const SUCCESS = 2;
const SETTLE_MS = 6_000;
const Rows = z.object({ records: z.array(z.looseObject({ statusFlag: z.number() })) });
const States = z.object({ records: z.array(z.looseObject({ alarmId: z.string() })) });

/** A platform that is killed while it tells of an alarm, and a receiver of webhooks that lives on. */
export class NotifyCrashBench {
  readonly #environment: Record<string, string>;
  readonly #hook: WebhookReceiver;
  #server: Server | null = null;
  #ids = { notify: '', device: '', event: '' };

  private constructor(environment: Record<string, string>, hook: WebhookReceiver) {
    this.#environment = environment;
    this.#hook = hook;
  }

  /** `environment` names the database. */
  static async open(environment: Record<string, string>): Promise<NotifyCrashBench> {
    const hook = await startWebhookReceiver();
    const log = {
      SVC_LOG_LEVEL: 'warn',
      SVC_DEMO: 'off',
      SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}`,
    };
    const bench = new NotifyCrashBench({ ...testEnvironment, ...log, ...environment }, hook);
    try {
      await bench.#prepare(await bench.#start());
      await bench.#server?.stop();
    } catch (error) {
      await bench.close();
      throw error;
    }
    return bench;
  }

  async close(): Promise<void> {
    await this.#server?.kill();
    await this.#hook.stop();
  }

  /** One reported event that fires a rule, killed at `point`, then a restart. */
  async tell(point: NotifyPoint): Promise<Told> {
    const admin = await this.#start(point);
    const said = fresh('said');
    const ruleId = await this.#rule(admin, said);
    await admin
      .post(`${DATA}/event_history/report`, {
        deviceId: this.#ids.device,
        eventId: this.#ids.event,
        message: said,
      })
      .catch(() => null);
    await this.#killed(point);

    const startedAt = Date.now();
    const again = await this.#start();
    const statuses = async (): Promise<number[]> =>
      Rows.parse(await again.data(`${DATA}/notify/history/list`, { ruleId })).records.map(
        ({ statusFlag }) => statusFlag,
      );
    // An alarm that was not committed is told by nobody, however long one waits; a broker may hand its
    // event out again.
    const isOver = (found: number[]): boolean =>
      found.every((status) => status === SUCCESS) &&
      (point === 'alarm' ? Date.now() - startedAt > SETTLE_MS : found.length > 0);
    const ended = await eventually(statuses, isOver, 60_000);
    const seconds = (Date.now() - startedAt) / 1_000;
    const states = States.parse(await again.data(`${DATA}/rule/state/list`, { ruleId })).records;
    await this.#server?.stop();
    const got = this.#hook.received.filter(({ body }) => body.includes(said));
    for (const request of got) verified(webhookSecret, request);
    return {
      point,
      alarms: states.filter(({ alarmId }) => alarmId !== '0').length,
      statuses: ended,
      requests: got.length,
      ids: new Set(got.map(({ headers }) => headers['webhook-id'])).size,
      seconds,
    };
  }

  async #start(crashAt?: NotifyPoint): Promise<Session> {
    // What a round that failed left behind.
    await this.#server?.kill();
    this.#server = await startServer({
      ...this.#environment,
      ...(crashAt ? { SVC_CRASH_AT: crashAt } : {}),
    });
    const { SVC_ADMIN_PASSWORD: password } = testEnvironment;
    return login(this.#server.base, 'default', 'admin', password);
  }

  async #prepare(admin: Session): Promise<void> {
    const { deviceId, profileId } = await onboard(admin);
    const event = await add(admin, 'event', {
      eventName: fresh('leak'),
      eventCode: fresh('leak'),
      eventTypeFlag: 'ALERT',
      eventLevelFlag: 'HIGH',
      profileId,
    });
    const made = async (path: string, body: object): Promise<string> =>
      z.string().parse(await admin.data(`${DATA}/${path}/add`, body));
    const channelId = await made('notify/channel', {
      channelName: fresh('hook'),
      channelTypeFlag: 'WEBHOOK',
      target: this.#hook.url,
      credential: webhookSecret,
    });
    const notify = await made('notify', { notifyName: fresh('policy') });
    await made('notify/channel/bind', { notifyId: notify, channelId });
    this.#ids = { notify, device: deviceId, event };
  }

  /** A rule that one message alone fires. */
  async #rule(admin: Session, said: string): Promise<string> {
    const condition = { field: 'message', operator: 'eq', expected: said };
    return z.string().parse(
      await admin.data(`${DATA}/rule/add`, {
        ruleName: said,
        alarmTargetTypeFlag: 'EVENT',
        entityId: this.#ids.device,
        notifyId: this.#ids.notify,
        ruleExt: { content: { condition } },
      }),
    );
  }

  async #killed(point: NotifyPoint): Promise<void> {
    const server = this.#server;
    if (!server) return;
    const late = setTimeout(() => void server.stop(), 30_000);
    const { signal } = await server.exited;
    clearTimeout(late);
    if (signal !== 'SIGKILL')
      throw new Error(`not killed at ${point}:\n${server.output.join('\n')}`);
  }
}

/** What a round must not show; empty when all is well: told once, or nothing where there is no alarm. */
export function judgeTold({ point, alarms, statuses, requests, ids }: Told): string[] {
  const wanted = point === 'alarm' && alarms === 0 ? 0 : 1;
  const wrong: string[] = [];
  if (alarms !== wanted) wrong.push(`${alarms} alarms`);
  if (statuses.length !== wanted) wrong.push(`${statuses.length} notifications`);
  if (statuses.some((status) => status !== SUCCESS)) wrong.push(`ended as ${statuses.join(', ')}`);
  if (ids !== wanted) wrong.push(`counted ${ids} times by the receiver`);
  // Only a message that left before the crash leaves again, and is known by its id.
  if (requests !== (point === 'notify-sent' ? 2 : wanted)) wrong.push(`sent ${requests} times`);
  return wrong;
}

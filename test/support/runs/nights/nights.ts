import { sql } from 'kysely';

import { confirm } from '../../../../src/alarm/alarm/alert.ts';
import { keepEpisode } from '../../../../src/alarm/alarm/episode.ts';
import { raise } from '../../../../src/alarm/alarm/raise.ts';
import { claim, settle, type Task, verdictOn } from '../../../../src/alarm/deliver/deliver.ts';
import { type Night, type Receiver, simulate } from '../../../../src/alarm/deliver/night.ts';
import { AlarmLevel } from '../../../../src/alarm/kind/alarm.ts';
import { sweepLedger } from '../../../../src/alarm/ledger/loop.ts';
import { notifyFired, notifyRecovered } from '../../../../src/alarm/ledger/notify.ts';
import { channelsOf, policyOf } from '../../../../src/alarm/ledger/terms.ts';
import { withoutRule } from '../../../../src/alarm/message/alarm-event.ts';
import { writingOf } from '../../../../src/alarm/message/alarm-link.ts';
import { MemoryBus } from '../../../../src/bus/memory.ts';
import { inTenant } from '../../../../src/db/tenant.ts';
import type { App, Caller } from '../../../../src/kernel/app/app.ts';
import { addTo, channelTo, DATA } from '../../devices/notify.ts';
import { startWorld, type World, type WorldOptions } from '../../world/app.ts';
import { fresh } from '../../world/fresh-name.ts';
import { HeldClock } from '../../world/shifted-clock.ts';
import { MINUTE, type Planned, plannedNight } from './planned.ts';

const LASTS = 6 * 60 * MINUTE;

type Running = {
  planned: Planned;
  notifyId: string;
  receivers: Map<string, Receiver>;
  alarmId: string;
};
type Told = { channelId: string; event: number; at: number; taken: number | null };

/** Messages of random nights, and what the drill answers otherwise than the ledger does: a line for each such night. */
export type Compared = { messages: number; taken: number; differing: string[] };

export async function compareNights(
  count: number,
  seed: number,
  database?: WorldOptions<never>['database'],
): Promise<Compared> {
  const clock = new HeldClock();
  const world = await startWorld({ clock, ...(database && { database }) });
  try {
    clock.hold();
    // The first second of a minute, so that windows begin and end beside what happens.
    clock.shift(MINUTE - (clock.now() % MINUTE));
    return await new Nights(world).compare(count, seed);
  } finally {
    await world.stop();
  }
}

class Nights {
  readonly #world: World;
  readonly #app: App;
  readonly #tenantId: string;
  readonly #caller: Caller;
  readonly #receivers = new Map<string, Receiver>();

  constructor(world: World) {
    this.#world = world;
    const { app, admin, clock } = world;
    // Nothing but this run sends what is due.
    this.#app = { ...app, bus: new MemoryBus({ clock, log: app.log }) };
    this.#tenantId = admin.tenantId;
    this.#caller = {
      tenantId: admin.tenantId,
      principalId: '1',
      principalType: 'USER',
      name: 'admin',
      via: 'login',
      permissions: new Set(['*']),
    };
  }

  async compare(count: number, seed: number): Promise<Compared> {
    const fires = this.#world.clock.now();
    const until = fires + LASTS;
    const nights: Running[] = [];
    for (let n = 0; n < count; n += 1)
      nights.push(await this.#prepare(plannedNight(seed + n, fires, LASTS)));
    for (const night of nights) await this.#fire(night);
    const events = nights.flatMap((night) => [
      ...at(night.planned.confirmed, fires, () => this.#confirm(night)),
      ...at(night.planned.over, fires, () => this.#end(night)),
    ]);
    await this.#run(events, until);
    const compared: Compared = { messages: 0, taken: 0, differing: [] };
    for (const [n, night] of nights.entries()) {
      const expected = await this.#expected(night, fires, until);
      const real = await this.#real(night);
      compared.messages += real.told.length;
      compared.taken += real.told.filter(({ taken }) => taken !== null).length;
      if (JSON.stringify(expected) !== JSON.stringify(real))
        compared.differing.push(
          `night ${seed + n}: the drill says ${JSON.stringify(expected)}, the ledger did ${JSON.stringify(real)}: ${JSON.stringify(night.planned)}`,
        );
    }
    return compared;
  }

  async #prepare(planned: Planned): Promise<Running> {
    const { admin } = this.#world;
    const notifyName = fresh('night');
    const { content, notifyInterval, steps } = planned;
    const notifyId = await addTo(admin, 'notify', { notifyName, notifyInterval });
    const receivers = new Map<string, Receiver>();
    const inSteps = steps.map((): string[] => []);
    for (const { bindExt, step, receiver } of planned.channels) {
      const channelId = await channelTo(admin, { target: 'https://pager.example.org/a' });
      const bind = { notifyId, channelId, bindExt: { content: bindExt } };
      await addTo(admin, 'notify/channel/bind', bind);
      if (step !== null) inSteps[step]?.push(channelId);
      receivers.set(channelId, receiver);
      this.#receivers.set(channelId, receiver);
    }
    const escalation = steps.flatMap((step, n) =>
      inSteps[n]?.length ? [{ ...step, channels: inSteps[n] }] : [],
    );
    const notifyExt = { content: { ...content, escalation } };
    await admin.data(`${DATA}/notify/update`, { id: notifyId, notifyExt });
    return { planned, notifyId, receivers, alarmId: '0' };
  }

  #tenant<T>(work: Parameters<typeof inTenant<T>>[2]): Promise<T> {
    return inTenant(this.#app.db, this.#tenantId, work);
  }

  #eventOf({ alarmId, planned: { level } }: Running) {
    return {
      ...withoutRule({ tenantId: this.#tenantId, alarmId, type: 'OFFLINE' }),
      level,
      target: 'DEVICE',
      entityId: '1',
      deviceId: '0',
      message: 'it is away',
      occurTime: this.#app.clock.now(),
    } as const;
  }

  async #fire(night: Running): Promise<void> {
    const now = this.#app.clock.now();
    const time = new Date(now);
    await this.#tenant(async (q) => {
      night.alarmId = await raise(q, {
        tenantId: this.#tenantId,
        target: 'DEVICE',
        entityId: '1',
        type: 'OFFLINE',
        source: 'SYSTEM',
        level: AlarmLevel[night.planned.level],
        message: 'it is away',
        episode: { firstTriggerTime: time, lastTriggerTime: time },
        now,
      });
      const by = [{ notifyId: night.notifyId, messageId: '0' }];
      await notifyFired(q, this.#eventOf(night), by, writingOf(this.#app));
    });
  }

  async #confirm({ alarmId: id }: Running): Promise<void> {
    await confirm(this.#app, this.#caller, { source: 'device', id });
  }

  async #end(night: Running): Promise<void> {
    const lastRecoverTime = new Date(this.#app.clock.now());
    await this.#tenant(async (q) => {
      const change = { state: 'RECOVERED', lastRecoverTime } as const;
      await keepEpisode(q, this.#tenantId, night.alarmId, change);
      await notifyRecovered(q, this.#eventOf(night), writingOf(this.#app));
    });
  }

  /** Moves the clock from one thing that is due to the next. */
  async #run(events: { at: number; run(): Promise<void> }[], until: number): Promise<void> {
    const { clock } = this.#world;
    for (;;) {
      const now = clock.now();
      for (const event of events.filter((one) => one.at === now)) await event.run();
      while (await this.#carryOut());
      const coming = events.flatMap((event) => (event.at > now ? [event.at] : []));
      const next = Math.min(...coming, await this.#nextDue());
      if (next > until) return;
      clock.shift(next - now);
    }
  }

  /** Whether something was due. */
  async #carryOut(): Promise<boolean> {
    if ((await this.#nextDue()) > this.#app.clock.now()) return false;
    await sweepLedger(this.#app);
    for (const task of await this.#dueTasks()) await this.#deliver(task);
    return true;
  }

  async #nextDue(): Promise<number> {
    const { rows } = await this.#tenant((q) =>
      sql<{ due: Date | null }>`
        select least((select min(due_time) from svc_notify_ledger where end_time is null),
          (select min(next_try_time) from svc_notify_history where status_flag in (0, 4))) as due`.execute(
        q,
      ),
    );
    return rows[0]?.due?.getTime() ?? Infinity;
  }

  async #dueTasks(): Promise<Task[]> {
    const { rows } = await this.#tenant((q) =>
      sql<Task>`
        select id, tenant_id as "tenantId", channel_id as "channelId" from svc_notify_history
        where status_flag in (0, 4) and next_try_time <= ${new Date(this.#app.clock.now())}`.execute(
        q,
      ),
    );
    return rows;
  }

  async #deliver(task: Task): Promise<void> {
    const now = this.#app.clock.now();
    const claimed = await this.#tenant((q) => claim(q, task, now));
    const receiver = this.#receivers.get(task.channelId);
    if (!claimed || !receiver) return;
    const outcome = receiver.answers(now);
    const verdict = verdictOn(outcome, { retryCount: claimed.retryCount, now, jitter: 0 });
    await settle(this.#app, claimed, outcome, verdict);
  }

  async #expected(night: Running, fires: number, until: number) {
    const { planned, notifyId, receivers } = night;
    const { level, confirmed, over } = planned;
    const { notify, bound } = await this.#tenant(async (q) => ({
      notify: await policyOf(q, this.#tenantId, notifyId),
      bound: await channelsOf(q, this.#tenantId, notifyId),
    }));
    if (!notify) throw new Error('the policy is not there');
    const { messages, stands } = await simulate({
      notify,
      channels: bound.filter(({ bind }) => bind.levels.length === 0 || bind.levels.includes(level)),
      level,
      place: { device: '0', driver: '0', rule: '0' },
      fires,
      confirmed: confirmed === null ? null : fires + confirmed,
      over: over === null ? null : fires + over,
      until,
      receiverOf: (id) => receivers.get(id) ?? { answerMs: 0, answers: NEVER },
    } satisfies Night);
    const told = messages.map(({ channelId, event, at: time, taken }): Told => ({
      channelId,
      event: event === 'FIRED' ? 0 : 1,
      at: time - fires,
      taken: taken === null ? null : taken - fires,
    }));
    return { told: told.toSorted(inOrder), stands: stands.map(({ waits }) => waits) };
  }

  async #real({ alarmId }: Running) {
    return this.#tenant(async (q) => {
      const { rows } = await sql<Told>`
        select h.channel_id::text as "channelId", h.event_flag as event,
          extract(epoch from h.create_time - a.create_time)::float8 * 1000 as at,
          case when h.status_flag = 2
            then extract(epoch from h.operate_time - a.create_time)::float8 * 1000 end as taken
        from svc_notify_history h join svc_entity_alarm a on a.id = h.alarm_id
        where h.alarm_id = ${alarmId}`.execute(q);
      const { rows: ledger } = await sql<{ reason: string }>`
        select reason from svc_notify_ledger where alarm_id = ${alarmId} order by channel_id`.execute(
        q,
      );
      const told = rows.map(({ channelId, event, at: time, taken }) => ({
        channelId,
        event,
        at: Math.round(time),
        taken: taken === null ? null : Math.round(taken),
      }));
      return { told: told.toSorted(inOrder), stands: ledger.map(({ reason }) => reason) };
    });
  }
}

const NEVER = () => ({ status: 'unreachable', reason: 'unknown' }) as const;
const at = (after: number | null, from: number, run: () => Promise<void>) =>
  after === null ? [] : [{ at: from + after, run }];
const inOrder = (one: Told, other: Told): number =>
  one.at - other.at || one.channelId.localeCompare(other.channelId) || one.event - other.event;

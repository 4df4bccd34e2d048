import { sql } from 'kysely';

import { MaintenanceScope } from '../../../../src/alarm/alarm/in-maintenance.ts';
import type { Task } from '../../../../src/alarm/deliver/deliver.ts';
import { type Night, type Receiver, simulate } from '../../../../src/alarm/deliver/night.ts';
import { channelsOf, policyOf } from '../../../../src/alarm/duty/terms.ts';
import { sweepLedger } from '../../../../src/alarm/ledger/loop.ts';
import { addTo, channelTo, DATA } from '../../devices/notify.ts';
import { startWorld, type World, type WorldOptions } from '../../world/app.ts';
import { fresh } from '../../world/fresh-name.ts';
import { HeldClock } from '../../world/shifted-clock.ts';
import { HeldAlarms } from '../held-alarms.ts';
import { MINUTE, type Planned, plannedNight } from './planned.ts';

/** Ids of devices that are not there: each alarm has another place. */
const DEVICES = 900_000;
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
  readonly #held: HeldAlarms;
  readonly #receivers = new Map<string, Receiver>();

  constructor(world: World) {
    this.#world = world;
    this.#held = new HeldAlarms(world);
  }

  async compare(count: number, seed: number): Promise<Compared> {
    const fires = this.#world.clock.now();
    const until = fires + LASTS;
    const nights: Running[] = [];
    for (let n = 0; n < count; n += 1)
      nights.push(await this.#prepare(plannedNight(seed + n, fires, LASTS)));
    for (const [n, night] of nights.entries()) {
      const deviceId = String(DEVICES + n);
      await this.#maintain(deviceId, night.planned);
      night.alarmId = await this.#held.fire(night.notifyId, night.planned.level, deviceId);
    }
    const events = nights.flatMap((night) => [
      ...at(night.planned.confirmed, fires, () => this.#held.confirm(night.alarmId)),
      ...at(night.planned.over, fires, () => this.#held.end(night.alarmId, night.planned.level)),
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

  /** Planned ones, also of a time that began before. */
  async #maintain(deviceId: string, { mutes }: Planned): Promise<void> {
    const { tenantId } = this.#held;
    for (const { from, until } of mutes)
      await this.#held.tenant((q) =>
        q
          .insertInto('svc_maintenance')
          .values({
            tenantId,
            maintenanceName: fresh('maintenance'),
            scopeFlag: MaintenanceScope.DEVICE,
            entityIds: JSON.stringify([deviceId]),
            beginTime: new Date(from),
            endTime: new Date(until),
          })
          .execute(),
      );
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
    // More policies than a tenant may have for a type: each night has one.
    await this.#held.tenant((q) =>
      sql`update svc_notify set notify_ext = jsonb_set(notify_ext, '{content,alarmTypes}', '["OFFLINE"]')
        where id = ${notifyId}`.execute(q),
    );
    return { planned, notifyId, receivers, alarmId: '0' };
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
    if ((await this.#nextDue()) > this.#held.app.clock.now()) return false;
    await sweepLedger(this.#held.app);
    for (const task of await this.#dueTasks()) await this.#deliver(task);
    return true;
  }

  async #nextDue(): Promise<number> {
    const { rows } = await this.#held.tenant((q) =>
      sql<{ due: Date | null }>`
        select least((select min(due_time) from svc_notify_ledger where end_time is null),
          (select min(next_try_time) from svc_notify_history where status_flag in (0, 4))) as due`.execute(
        q,
      ),
    );
    return rows[0]?.due?.getTime() ?? Infinity;
  }

  async #dueTasks(): Promise<Task[]> {
    const { rows } = await this.#held.tenant((q) =>
      sql<Task>`
        select id, tenant_id as "tenantId", channel_id as "channelId" from svc_notify_history
        where status_flag in (0, 4) and next_try_time <= ${new Date(this.#held.app.clock.now())}`.execute(
        q,
      ),
    );
    return rows;
  }

  async #deliver(task: Task): Promise<void> {
    const receiver = this.#receivers.get(task.channelId);
    const now = this.#held.app.clock.now();
    const answer = () => receiver?.answers(now) ?? null;
    await this.#held.deliver(task, { answer, jitter: () => 0 });
  }

  async #expected(night: Running, fires: number, until: number) {
    const { planned, notifyId, receivers } = night;
    const { level, confirmed, over } = planned;
    const { notify, bound } = await this.#held.tenant(async (q) => ({
      notify: await policyOf(q, this.#held.tenantId, notifyId),
      bound: await channelsOf(q, this.#held.tenantId, notifyId),
    }));
    if (!notify) throw new Error('the policy is not there');
    const { messages, stands } = await simulate({
      notify,
      channels: bound.filter(({ bind }) => bind.levels.length === 0 || bind.levels.includes(level)),
      level,
      mutes: planned.mutes,
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
    return this.#held.tenant(async (q) => {
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

import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

import { sql } from 'kysely';

import type { Outcome } from '../../../../src/alarm/channel/delivery/channel.ts';
import type { Claimed, Task } from '../../../../src/alarm/deliver/deliver.ts';
import { sweepLedger } from '../../../../src/alarm/ledger/loop.ts';
import { startThread } from '../../../../src/db/embedded/thread.ts';
import { addTo, channelTo, DATA } from '../../devices/notify.ts';
import { startWorld, type World, type WorldOptions } from '../../world/app.ts';
import { fresh } from '../../world/fresh-name.ts';
import { seeded } from '../../world/seeded.ts';
import { HeldClock } from '../../world/shifted-clock.ts';
import { withServer } from '../../world/template.ts';
import { HeldAlarms } from '../held-alarms.ts';
import { Pager } from './pager.ts';

const LEVEL = 'P1';
const MINUTE = 60_000;
/** Alarms begin in the first two hours; all receivers are back by the third. */
const BEGINS = 120 * MINUTE;
const LASTS = 240 * MINUTE;

/** Of the storm: how often the platform dies in the middle of a sweep. */
const KILLED_EVERY = 20 * MINUTE;

const END_SESSIONS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

export type Stormed = {
  messages: number;
  requests: number;
  known: number;
  kills: number;
  wrong: string[];
};
const OUTAGES = { alarmTypes: ['OFFLINE'] };
type Raised = { alarmId: string; policy: number; isOver: boolean };

type Data = NonNullable<WorldOptions<never>['database']>;

/**
 * So many alarms to receivers that hang, fail, drip and answer late, while policies are edited and switched, alarms
 * confirmed and the platform is killed.
 */
export async function storm(alarms: number, seed: number, data: Data): Promise<Stormed> {
  const storming = new Storm(data, seeded(seed));
  try {
    return await storming.run(alarms);
  } finally {
    await storming.stop();
  }
}

class Storm {
  readonly #data: Data;
  #clock = new HeldClock();
  #thread: Worker | undefined;
  #world!: World;
  #held!: HeldAlarms;
  #kills = 0;
  readonly #random: () => number;
  readonly #pagers = new Map<string, Pager>();
  readonly #policies: string[] = [];
  readonly #raised: Raised[] = [];
  readonly #wrong: string[] = [];

  constructor(data: Data, random: () => number) {
    this.#data = data;
    this.#random = random;
  }

  async #start(): Promise<void> {
    const clock = this.#clock;
    this.#thread = this.#data.environment['DATABASE_URL'] ? undefined : startThread();
    const database = { ...this.#data, remove: () => Promise.resolve() };
    this.#world = await startWorld({ clock, database, thread: this.#thread });
    this.#held = new HeldAlarms(this.#world);
  }

  stop(): Promise<void> {
    return this.#world.stop();
  }

  /** Ends the engine, or its sessions, in the middle of a sweep, and starts the platform again on what is stored. */
  async #kill(): Promise<void> {
    this.#kills += 1;
    const sweep = sweepLedger(this.#held.app).catch(() => {});
    await sleep(this.#below(40));
    const url = this.#data.environment['DATABASE_URL'];
    if (url) await withServer(url, (client) => client.query(END_SESSIONS));
    else await this.#thread?.terminate();
    await sweep;
    await this.#world.stop();
    await this.#start();
  }

  async run(alarms: number): Promise<Stormed> {
    await this.#start();
    const clock = this.#clock;
    clock.hold();
    const from = clock.now();
    await this.#prepare(Math.ceil(alarms / 50));
    for (let minute = 0; clock.now() < from + LASTS; minute += 1) {
      const isBusy = clock.now() < from + BEGINS;
      // A limit that stays would hold back for days what a policy was switched on for.
      if (minute === BEGINS / MINUTE) await this.#lift();
      const due = isBusy ? Math.ceil((alarms * (minute + 1)) / (BEGINS / MINUTE)) : alarms;
      while (this.#raised.length < Math.min(due, alarms)) await this.#fire();
      if (isBusy) await this.#happen();
      if (isBusy && minute % (KILLED_EVERY / MINUTE) === 1) await this.#kill();
      await this.#carryOut();
      await this.#look();
      clock.shift(MINUTE);
    }
    await this.#lookAtEnd();
    const pagers = [...this.#pagers.values()];
    const { rows } = await this.#held.tenant((q) =>
      sql<{ messages: number; known: number }>`
        select (select count(*)::int from svc_notify_history) as messages,
          (select count(*)::int from svc_notify_ledger where known_flag > 0) as known`.execute(q),
    );
    const { messages, known } = rows[0] ?? { messages: 0, known: 0 };
    const requests = pagers.reduce((sum, pager) => sum + pager.requests, 0);
    const wrong = [...this.#wrong, ...pagers.flatMap((pager) => pager.wrong)];
    return { messages, requests, known, kills: this.#kills, wrong };
  }

  async #prepare(policies: number): Promise<void> {
    const { admin, clock } = this.#world;
    for (let n = 0; n < policies; n += 1) {
      const notifyId = await addTo(admin, 'notify', {
        notifyName: fresh('storm'),
        notifyExt: { content: OUTAGES },
      });
      this.#policies.push(notifyId);
      for (let channel = 0; channel < 3; channel += 1) {
        const channelId = await channelTo(admin, { target: 'https://pager.example.org/a' });
        await addTo(admin, 'notify/channel/bind', { notifyId, channelId });
        this.#pagers.set(channelId, new Pager(this.#random, clock.now(), BEGINS));
      }
    }
  }

  #below(most: number): number {
    return Math.floor(this.#random() * most);
  }

  async #fire(): Promise<void> {
    const policy = this.#below(this.#policies.length);
    const alarmId = await this.#held.fire(this.#policies[policy] ?? '0', LEVEL);
    this.#raised.push({ alarmId, policy, isOver: false });
  }

  /** Ends, confirmations and edits of this minute. */
  async #happen(): Promise<void> {
    for (const raised of this.#raised) {
      if (raised.isOver) continue;
      if (this.#random() < 0.01) await this.#end(raised);
      else if (this.#random() < 0.005) await this.#held.confirm(raised.alarmId);
    }
    if (this.#random() < 0.3) await this.#edit();
  }

  async #end(raised: Raised): Promise<void> {
    raised.isOver = true;
    await this.#held.end(raised.alarmId, LEVEL);
  }

  /** Another window, limit, reminder or none; or a policy, or one of its channels, is switched off and on. */
  async #edit(): Promise<void> {
    if (this.#random() < 0.5) return this.#switch();
    const { admin, clock } = this.#world;
    const time = (at: number): string => new Date(at).toISOString().slice(11, 16);
    const now = clock.now();
    const window = { start: time(now - MINUTE), end: time(now + (1 + this.#below(40)) * MINUTE) };
    const contents = [
      {},
      { silence: { windows: [window] } },
      { rateLimit: { intervalMs: 5 * MINUTE, maxCount: 1 } },
      { repeat: { enabled: true, intervalMs: 20 * MINUTE, maxTimes: 3 } },
    ];
    await admin.data(`${DATA}/notify/update`, {
      id: this.#policies[this.#below(this.#policies.length)],
      notifyExt: { content: { ...OUTAGES, ...contents[this.#below(contents.length)] } },
    });
  }

  /** From now on no window and no limit holds a message back. */
  async #lift(): Promise<void> {
    for (const id of this.#policies)
      await this.#world.admin.data(`${DATA}/notify/update`, {
        id,
        notifyExt: { content: OUTAGES },
      });
  }

  /** Meanwhile one of the alarms of the policy may end. */
  async #switch(): Promise<void> {
    const { admin } = this.#world;
    const policy = this.#below(this.#policies.length);
    const channel = [...this.#pagers.keys()][policy * 3 + this.#below(3)];
    const isOfChannel = this.#random() < 0.5;
    const switched = (enableFlag: string) =>
      isOfChannel
        ? admin.data(`${DATA}/notify/channel/update`, { id: channel, enableFlag })
        : admin.data(`${DATA}/notify/update`, { id: this.#policies[policy], enableFlag });
    await switched('DISABLE');
    if (this.#random() < 0.7) await this.#carryOut();
    const open = this.#raised.find((raised) => raised.policy === policy && !raised.isOver);
    if (open && this.#random() < 0.3) await this.#end(open);
    if (this.#random() < 0.5) await this.#carryOut();
    await switched('ENABLE');
  }

  async #carryOut(): Promise<void> {
    for (let rounds = 0; rounds < 200; rounds += 1) {
      const due = await this.#due();
      if (due.entries === 0 && due.tasks.length === 0) return;
      await sweepLedger(this.#held.app);
      for (const task of due.tasks) await this.#deliver(task);
    }
    this.#wrong.push('something stays due');
  }

  async #due(): Promise<{ entries: number; tasks: Task[] }> {
    const now = new Date(this.#held.app.clock.now());
    return this.#held.tenant(async (q) => {
      const { rows: tasks } = await sql<Task>`
        select id, tenant_id as "tenantId", channel_id as "channelId" from svc_notify_history
        where status_flag in (0, 1, 4) and next_try_time <= ${now} order by id`.execute(q);
      const { rows } = await sql<{ entries: number }>`
        select count(*)::int as entries from svc_notify_ledger
        where end_time is null and due_time <= ${now}`.execute(q);
      return { entries: rows[0]?.entries ?? 0, tasks };
    });
  }

  async #deliver(task: Task): Promise<void> {
    const answer = ({ deliveryId: id, channel, request }: Claimed): Outcome | null => {
      const pager = this.#pagers.get(task.channelId);
      if (!pager) return null;
      if (!channel) return { status: 'refused', reason: 'the channel is disabled' };
      const { notice } = request ?? {};
      const isLeft = notice?.message.startsWith('no longer sent here') === true;
      const outcome = pager.receive({
        id,
        alarmId: notice?.alarmId ?? '0',
        event: isLeft ? 'LEFT' : notice?.event === 'recovered' ? 'OVER' : 'FIRING',
        at: this.#world.clock.now(),
      });
      // The process died: another one takes the message over when the lease is over.
      const isDead = outcome.status !== 'delivered' && this.#random() < 0.02;
      return isDead ? null : outcome;
    };
    await this.#held.deliver(task, { answer, jitter: () => this.#random() });
  }

  /** Each channel knows what the ledger says. */
  async #look(): Promise<void> {
    const { rows } = await this.#held.tenant((q) =>
      sql<{ channelId: string; alarmId: string; known: number }>`
        select channel_id::text as "channelId", alarm_id::text as "alarmId", known_flag as known
        from svc_notify_ledger`.execute(q),
    );
    for (const { channelId, alarmId, known } of rows) {
      const wrong = this.#pagers.get(channelId)?.wrongAbout(alarmId, known);
      if (wrong) this.#wrong.push(`channel ${channelId}, alarm ${alarmId}: ${wrong}`);
    }
  }

  /** No alarm goes on, and no end of one that its receiver has is left, that a channel does not know. */
  async #lookAtEnd(): Promise<void> {
    const { rows } = await this.#held.tenant((q) =>
      sql<{ channelId: string; alarmId: string; reason: string }>`
        select l.channel_id::text as "channelId", l.alarm_id::text as "alarmId", l.reason
        from svc_notify_ledger l join svc_entity_alarm a on a.id = l.alarm_id
        where l.end_time is null and (a.state_flag <> 1 or l.known_flag = 0)`.execute(q),
    );
    for (const { channelId, alarmId, reason } of rows)
      this.#wrong.push(
        `channel ${channelId} was never brought to know alarm ${alarmId}: ${reason}`,
      );
    for (const { alarmId } of this.#raised.filter(({ isOver }) => isOver))
      for (const [channelId, pager] of this.#pagers)
        if (pager.hasOpen(alarmId))
          this.#wrong.push(`the receiver of channel ${channelId} never got the end of ${alarmId}`);
    const entries = await this.#held.tenant((q) =>
      q
        .selectFrom('svc_notify_ledger')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .executeTakeFirst(),
    );
    // A policy that is switched on gets the alarms of the others, too.
    if (Number(entries?.count) < 3 * this.#raised.length) this.#wrong.push('entries are missing');
  }
}

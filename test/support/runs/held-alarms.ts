import { confirm } from '../../../src/alarm/alarm/alert.ts';
import { keepEpisode } from '../../../src/alarm/alarm/episode.ts';
import { raise } from '../../../src/alarm/alarm/raise.ts';
import type { Outcome } from '../../../src/alarm/channel/delivery/channel.ts';
import {
  claim,
  type Claimed,
  settle,
  type Task,
  verdictOn,
} from '../../../src/alarm/deliver/deliver.ts';
import { AlarmLevel } from '../../../src/alarm/kind/alarm.ts';
import { notifyFired, notifyRecovered } from '../../../src/alarm/ledger/notify.ts';
import { withoutRule } from '../../../src/alarm/message/alarm-event.ts';
import { writingOf } from '../../../src/alarm/message/alarm-link.ts';
import { MemoryBus } from '../../../src/bus/memory.ts';
import { inTenant } from '../../../src/db/tenant.ts';
import type { App, Caller } from '../../../src/kernel/app/app.ts';
import type { World } from '../world/app.ts';

type Level = keyof typeof AlarmLevel;

/** Outages of one device in a world whose clock is held: nothing but the caller sends what is due. */
export class HeldAlarms {
  readonly app: App;
  readonly tenantId: string;
  readonly #caller: Caller;

  constructor({ app, admin, clock }: World) {
    this.app = { ...app, bus: new MemoryBus({ clock, log: app.log }) };
    this.tenantId = admin.tenantId;
    this.#caller = {
      tenantId: admin.tenantId,
      principalId: '1',
      principalType: 'USER',
      name: 'admin',
      via: 'login',
      permissions: new Set(['*']),
    };
  }

  tenant<T>(work: Parameters<typeof inTenant<T>>[2]): Promise<T> {
    return inTenant(this.app.db, this.tenantId, work);
  }

  /** Answers the id of the alarm. */
  fire(notifyId: string, level: Level, deviceId = '0'): Promise<string> {
    const now = this.app.clock.now();
    const time = new Date(now);
    return this.tenant(async (q) => {
      const alarmId = await raise(q, {
        tenantId: this.tenantId,
        target: 'DEVICE',
        entityId: '1',
        deviceId,
        type: 'OFFLINE',
        source: 'SYSTEM',
        level: AlarmLevel[level],
        message: 'it is away',
        episode: { firstTriggerTime: time, lastTriggerTime: time },
        now,
      });
      const by = [{ notifyId, messageId: '0' }];
      await notifyFired(q, this.#eventOf(alarmId, level), by, writingOf(this.app));
      return alarmId;
    });
  }

  async end(alarmId: string, level: Level): Promise<void> {
    const lastRecoverTime = new Date(this.app.clock.now());
    await this.tenant(async (q) => {
      const change = { state: 'RECOVERED', lastRecoverTime } as const;
      await keepEpisode(q, this.tenantId, alarmId, change);
      await notifyRecovered(q, this.#eventOf(alarmId, level), writingOf(this.app));
    });
  }

  async confirm(id: string): Promise<void> {
    await confirm(this.app, this.#caller, { source: 'device', id });
  }

  /** Sends a message that is due; null: its dispatcher dies before it writes the answer down. */
  async deliver(
    task: Task,
    { answer, jitter }: { answer(claimed: Claimed): Outcome | null; jitter(): number },
  ): Promise<void> {
    const now = this.app.clock.now();
    const claimed = await this.tenant((q) => claim(q, task, now));
    const outcome = claimed && answer(claimed);
    if (!claimed || !outcome) return;
    const verdict = verdictOn(outcome, { retryCount: claimed.retryCount, now, jitter: jitter() });
    await settle(this.app, claimed, outcome, verdict);
  }

  #eventOf(alarmId: string, level: Level) {
    return {
      ...withoutRule({ tenantId: this.tenantId, alarmId, type: 'OFFLINE' }),
      level,
      target: 'DEVICE',
      entityId: '1',
      deviceId: '0',
      message: 'it is away',
      occurTime: this.app.clock.now(),
    } as const;
  }
}

import { setTimeout as sleep } from 'node:timers/promises';

import { TURN_QUEUES } from '../../../../src/agentic/chat/order.ts';
import { onboard } from '../../../tools/agent.ts';
import { startModel } from '../../neighbours/model.ts';
import { ACTIONS } from '../../people/actions.ts';
import { startWorld } from '../../world/app.ts';
import type { FreshDatabase } from '../../world/database.ts';
import { fresh } from '../../world/fresh-name.ts';
import { seeded } from '../../world/seeded.ts';
import { ask, type Manner } from './client.ts';
import { type Asked, isQuiet, stored, wrongWith } from './judge.ts';
import { answerOf, type Fault, faults, type Script, wishOf } from './vendor.ts';

/** As many as one person may have at a time, less one. */
const AT_ONCE = 7;
/** Fewer than a person may have pending. */
const BATCH = 40;
const QUIET_MS = 30_000;
/** A breaker that these failures opened is closed after that. */
const BREAKER_MS = 31_000;
const LEAST = 5.01;
const STEPS = 2_400;

const all = Object.keys(faults).filter((name): name is Fault => name in faults);

type TurnsDone = {
  fault: Fault;
  end: 'whole' | 'error' | 'left';
};
export type TurnsRun = { turns: TurnsDone[]; proposals: number; wrong: string[] };

/** Turns that propose one write each, of which something fails: in every round of the vendor and wherever a client leaves. */
export async function runTurns(
  count: number,
  seed: number,
  database?: FreshDatabase,
): Promise<TurnsRun> {
  const random = seeded(seed);
  const pick = <T>(list: readonly [T, ...T[]]): T =>
    list[Math.floor(random() * list.length)] ?? list[0];
  const scripts = new Map<number, Script>();
  const failed = new Map<number, number>();
  const model = await startModel((sent) => {
    const script = scripts.get(wishOf(sent) ?? -1);
    if (!script) throw new Error('a request of no wish');
    return answerOf(sent, script, failed);
  });
  const world = await startWorld({
    environment: {
      AGENTIC_FALLBACK_OPENAI_BASE_URL: model.baseUrl,
      AGENTIC_FALLBACK_OPENAI_API_KEY: 'key',
      AGENTIC_FALLBACK_OPENAI_MODEL: 'fake-1',
      SVC_EGRESS_ALLOW: new URL(model.baseUrl).host,
      SVC_LOG_LEVEL: 'silent',
    },
    ...(database ? { database } : {}),
  });
  const run: TurnsRun = { turns: [], proposals: 0, wrong: [] };
  try {
    const { admin } = world;
    const { deviceId, pointId } = await onboard(admin, fresh('wishes'));
    const plan = (wish: number): { script: Script; manner: Manner; value: string } => {
      const value = (LEAST + (wish % STEPS) / 100).toFixed(2);
      const looks = random() < 0.5;
      const script: Script = {
        wish,
        write: { deviceId, pointId, value },
        looks,
        lies: random() < 0.5,
        fault: all[wish % all.length] ?? 'nothing',
        round: Math.floor(random() * (looks ? 3 : 2)),
        times: pick([1, 1, 9]),
        writes: 1 + Math.floor(random() * 4),
      };
      const manner: Manner = {
        form: pick(['chat', 'chat', 'responses']),
        streams: random() < 0.6,
        conversationId: random() < 0.7 ? `wish-${seed}-${wish}` : null,
        retries: pick(['own', 'stubborn']),
        leavesAfter: random() < 0.3 ? Math.floor(random() * 24) : null,
        asksAgain: random() < 0.5,
      };
      return { script, manner, value };
    };
    for (let from = 0; from < count; from += BATCH) {
      const wishes = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) => from + at);
      const planned = wishes.map(plan);
      const asked: Asked[] = [];
      const next = planned.values();
      const lane = async (): Promise<void> => {
        for (const { script, manner, value } of next) {
          const { wish, fault } = script;
          scripts.set(wish, script);
          const heard = await ask(admin, wish, manner);
          asked.push({ wish, value, conversationId: manner.conversationId, heard });
          run.turns.push({ fault, end: heard.end });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, lane));
      const now = await quiet();
      run.proposals += now.actions.length;
      run.wrong.push(...wrongWith(asked, now));
      for (const { actionId } of now.actions)
        await admin.post(`${ACTIONS}/reject`, { action_id: actionId });
      world.clock.shift(BREAKER_MS);

      /** What is stored when all turns have ended, also those whose clients left. */
      async function quiet() {
        const until = Date.now() + QUIET_MS;
        let before = await stored(world, asked);
        for (;;) {
          await sleep(150);
          const after = await stored(world, asked);
          const isStill =
            after.messages.length === before.messages.length &&
            after.actions.length === before.actions.length &&
            world.app.of(TURN_QUEUES).size === 0;
          if ((isStill && isQuiet(after)) || Date.now() > until) return after;
          before = after;
        }
      }
    }
    return run;
  } finally {
    await world.stop();
    await model.stop();
  }
}

import { setTimeout as sleep } from 'node:timers/promises';

import { agentIn, toolNamed } from '../../../tools/agent.ts';
import { claims } from '../../cases/outcome.ts';
import type { Fate } from '../../devices/udp-relay.ts';
import { eventually } from '../../world/eventually.ts';
import type { OutcomeBench, Receipt, Wired } from './bench.ts';

const FAULTS = [
  'none',
  'first answer lost',
  'applied but silent',
  'never reached',
  'answer late',
  'clamped',
  'other value',
] as const;
type Fault = (typeof FAULTS)[number];
/** What happens to all writes of a round while they are under way. */
const EVENTS = ['nothing', 'driver killed', 'nothing', 'clock moved'] as const;
const SKEWS_MS = [0, 0, -45_000, 45_000];
/** A driver asks a device for at most this long: afterwards nothing is under way any more. */
const SETTLED_MS = 12_500;

export type Judged = {
  fault: string;
  event: string;
  first: string;
  last: string;
  wrong: string[];
};

/** One faulty write on every device at the same time, and what was said of each. */
export async function faultyRound(
  bench: OutcomeBench,
  round: number,
  random: () => number,
): Promise<Judged[]> {
  const event = EVENTS[round % EVENTS.length] ?? 'nothing';
  const pick = <T>(from: readonly T[]): T => {
    const found = from[Math.floor(random() * from.length)];
    if (found === undefined) throw new Error('there is nothing to pick from');
    return found;
  };
  const { world, driverClock, wired } = bench;
  driverClock.shift(world.clock.now() + pick(SKEWS_MS) - driverClock.now());
  await Promise.all(wired.map((one) => bench.read(one)));
  const plans = wired.map((one) => ({
    wired: one,
    fault: pick(FAULTS),
    sameAgain: random() < 0.1,
    fresh: Math.floor(random() * 10_000) / 10,
    asAction: random() < 0.5,
    collected: random() < 0.5,
  }));
  const writes = await Promise.all(
    plans.map(async (plan) => {
      const { wired: one, fault } = plan;
      const before = one.device.setPoint();
      const value = String(plan.sameAgain ? before : plan.fresh);
      spoil(one, fault, Number(value));
      const taken = one.taken.length;
      const ids = plan.asAction
        ? await bench.confirm(one, value)
        : { actionId: null, commandId: await bench.write(one, value) };
      return { ...plan, ...ids, before, value, taken };
    }),
  );
  const settled = sleep(SETTLED_MS);
  await sleep(1_500);
  if (event === 'driver killed') await bench.replaceDriver();
  if (event === 'clock moved') world.clock.shift(14_000);
  await settled;
  const firsts = await Promise.all(
    writes.map(async (write) => {
      const receipt = await eventually(
        () => bench.receipt(write.commandId),
        ({ outcome }) => outcome !== 'UNDERWAY',
        60_000,
      );
      return { receipt, wrong: await judge(bench, write, receipt) };
    }),
  );
  for (const one of wired) heal(one);
  return Promise.all(
    writes.map(async (write, n): Promise<Judged> => {
      const { receipt: first, wrong = [] } = firsts[n] ?? {};
      const last = first?.outcome === 'UNKNOWN' ? await prove(bench, write) : first;
      if (!last || !first) throw new Error('a write without an end');
      const all = [
        ...wrong,
        ...(await judge(bench, write, last)),
        ...judgeProof(write, first, last),
      ];
      return {
        fault: write.fault,
        event,
        first: first.outcome,
        last: last.outcome,
        wrong: all.map((what) => `${what} [${write.fault}, ${event}]: ${last.say}`),
      };
    }),
  );
}

type Write = {
  wired: Wired;
  fault: Fault;
  collected: boolean;
  actionId: string | null;
  commandId: string;
  before: number;
  value: string;
  /** How many set-points the device had taken over before. */
  taken: number;
};

function spoil({ relay, hold }: Wired, fault: Fault, value: number): void {
  const always = (fate: Fate) => () => fate;
  let answers = 0;
  if (fault === 'first answer lost')
    relay.fates.toServer = () => (answers++ === 0 ? 'drop' : 'pass');
  if (fault === 'applied but silent') relay.fates.toServer = always('drop');
  if (fault === 'never reached') relay.fates.toDevice = always('drop');
  if (fault === 'answer late') relay.fates.toServer = always({ afterMs: 11_500 });
  if (fault === 'clamped') hold.instead = Math.min(value, 30) - 1;
  if (fault === 'other value') hold.instead = value + 7;
}

function heal({ relay, hold }: Wired): void {
  relay.fates.toServer = () => 'pass';
  relay.fates.toDevice = () => 'pass';
  hold.instead = null;
}

/** A reading after it: by the collection where the driver's clock is not behind, else by a read. */
async function prove(bench: OutcomeBench, write: Write): Promise<Receipt> {
  const { driverClock, world } = bench;
  const isBehind = driverClock.now() < world.clock.now() - 1_000;
  if (write.collected && !isBehind) await bench.collect(write.wired);
  else await bench.read(write.wired);
  return eventually(
    () => bench.receipt(write.commandId),
    ({ seen }) => seen !== null && Number(seen.value) === write.wired.device.setPoint(),
    30_000,
  ).catch(() => bench.receipt(write.commandId));
}

/** No text claims an effect the device does not have, or denies one it has; all doors say the same. */
async function judge(bench: OutcomeBench, write: Write, receipt: Receipt): Promise<string[]> {
  const { wired, value, actionId } = write;
  const held = wired.device.setPoint() === Number(value);
  const wasTaken = wired.taken.slice(write.taken).includes(Number(value));
  const wrong: string[] = [];
  const views: { status: string; done: boolean; say: string }[] = [
    { ...receipt, status: receipt.outcome },
  ];
  if (actionId) {
    const caller = agentIn(bench.world.admin);
    const found: unknown = await toolNamed('lookupActionById').run(bench.world.app, caller, {
      actionId,
    });
    const told = { ...Object(found) };
    views.push(await bench.action(actionId), {
      status: String(told.status),
      done: told.done === true,
      say: String(told.say),
    });
  }
  // A reading of the collection may settle an unknown write while the doors are asked one after the other.
  const { outcome: since } = await bench.receipt(write.commandId);
  const outcomes = [...new Set([receipt.outcome, since])];
  for (const { status, done, say } of views) {
    const { effect, none, other, unknown } = claims(say);
    if (!outcomes.some((outcome) => outcome === status))
      wrong.push(`the action is ${status}, not ${outcomes.join(' or ')}`);
    if (effect !== done || unknown !== (status === 'UNKNOWN')) wrong.push('say contradicts itself');
    if (effect && !held) wrong.push('claims an effect that is not there');
    if (none && wasTaken) wrong.push('denies an effect that is there');
    if (other && held) wrong.push('denies a value that is held');
    if (![effect, none, other, unknown].includes(true)) wrong.push('says no end');
  }
  return wrong;
}

/** What a reading after an unknown write must have led to. */
function judgeProof({ wired, value, before }: Write, first: Receipt, last: Receipt): string[] {
  if (first.outcome !== 'UNKNOWN') return [];
  const reads = wired.device.setPoint();
  // Unknown while driver clocks jump: the newest value is then not the last one that was read.
  const { beforeValue } = first;
  if (beforeValue !== null && Number(beforeValue) !== before)
    return ['names a value before that was not there'];
  const isProof = reads === Number(value) && beforeValue !== null && before !== Number(value);
  if (isProof) return last.outcome === 'EXECUTED' ? [] : ['was seen and is not told so'];
  if (last.outcome !== 'UNKNOWN') return ['was not seen and is told so'];
  const isNamed = Number(last.seen?.value) === reads && last.say.includes(` is ${reads} °C`);
  return isNamed ? [] : ['does not name the reading'];
}

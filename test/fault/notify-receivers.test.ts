import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { FAILED, type History, SUCCESS, watch } from '../support/devices/notify.ts';
import {
  type Answering,
  drip,
  hang,
  huge,
  redirect,
  startWebhookReceiver,
  status,
} from '../support/neighbours/webhook-receiver.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';
import { ImpatientClock } from '../support/world/shifted-clock.ts';

/** How many receivers of each kind there are, how they answer, and where that must end. */
const kinds: Record<string, { count: number; answer: Answering; ends: number; tries: number }> = {
  hangs: { count: 12, answer: hang, ends: FAILED, tries: 5 },
  fails: { count: 8, answer: status(500), ends: FAILED, tries: 5 },
  drips: { count: 4, answer: drip(), ends: SUCCESS, tries: 1 },
  floods: { count: 4, answer: huge(10_000_000), ends: SUCCESS, tries: 1 },
  redirects: { count: 2, answer: redirect('http://127.0.0.1:1/'), ends: FAILED, tries: 1 },
  takes: { count: 10, answer: status(204), ends: SUCCESS, tries: 1 },
};
const MINUTE = 60_000;

let world: World;
const web = started(startWebhookReceiver);
beforeAll(async () => {
  web.answer((response, received, count) =>
    kinds[received.path.split('/')[1] ?? '']?.answer(response, received, count),
  );
  world = await startWorld({
    // A receiver that hangs is given up after 1.4 s instead of 14.
    clock: new ImpatientClock(10_000, 10),
    environment: { SVC_EGRESS_ALLOW: `webhook:${web.hostPort}` },
  });
});
afterAll(async () => {
  await world?.stop();
});

const channelsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ target: `http://${web.hostPort}/${name}/${i}` }));
const kindOf = ({ target }: History): string => new URL(target).pathname.split('/')[1] ?? '';

/** The deliveries about alarms that a receiver of this kind got, and how often each of them. */
const triesAt = (name: string): number[] => {
  const ids = web.received
    .filter(({ path, body }) => path.startsWith(`/${name}/`) && body.includes('"alarm.'))
    .map(({ headers }) => String(headers['webhook-id']));
  return [...Map.groupBy(ids, (id) => id).values()].map(({ length }) => length);
};

it('40 alarms to receivers that hang, fail, drip, flood and redirect all end, and nobody else waits', async () => {
  const theirs = await world.tenant('neighbour');
  const channels = Object.entries(kinds).flatMap(([name, { count }]) => channelsOf(name, count));
  const loud = await watch(world, { channels });
  const quiet = await watch(world, { channels: channelsOf('takes', 5) }, theirs);
  await loud.measure(95);
  await quiet.measure(95);
  await quiet.until(...Array.from({ length: 5 }, () => SUCCESS));
  await quiet.measure(20);
  await quiet.until(...Array.from({ length: 10 }, () => SUCCESS));
  const meanwhile = (await loud.history()).filter((row) => kindOf(row) === 'hangs');
  expect(meanwhile.some(({ statusFlag }) => statusFlag === FAILED)).toBe(false);

  const hasTried = (row: History) =>
    web.received.filter(({ headers }) => headers['webhook-id'] === row.deliveryId).length >=
    (kinds[kindOf(row)]?.tries ?? 0);
  const untilAll = async (hasEnded: (row: History) => boolean): Promise<History[]> => {
    let rows: History[] = [];
    for (let round = 0; round < 120; round++) {
      rows = await loud.history();
      if (rows.every(hasEnded)) break;
      await sleep(500);
      world.clock.shift(MINUTE);
    }
    return rows;
  };
  // What failed is sent again as long as the alarm fires.
  await untilAll(hasTried);
  await loud.measure(20);
  // Of the end: what took the beginning, and what may have taken it, because it did not answer.
  const taking = Object.entries(kinds)
    .filter(([name, { ends }]) => ends === SUCCESS || name === 'hangs')
    .reduce((sum, [, { count }]) => sum + count, 0);
  await untilAll(({ statusFlag }) => [SUCCESS, FAILED].includes(statusFlag));
  const rows = await eventually(loud.history, (all) => all.length === channels.length + taking);
  for (const [name, { ends, tries, count }] of Object.entries(kinds)) {
    const ended = rows.filter((row) => kindOf(row) === name && row.eventFlag === 'FIRED');
    expect(ended.map(({ statusFlag }) => statusFlag)).toEqual(ended.map(() => ends));
    expect(ended.map(({ retryCount }) => retryCount)).toEqual(ended.map(() => tries - 1));
    const others = name === 'takes' ? 10 : 0;
    const tried = triesAt(name);
    expect(tried).toHaveLength((ends === SUCCESS || name === 'hangs' ? 2 : 1) * count + others);
    expect(Math.min(...tried)).toBeGreaterThanOrEqual(tries);
    if (tries === 1) expect(Math.max(...tried)).toBe(1);
  }
}, 180_000);

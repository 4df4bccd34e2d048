import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { startPostgresNode } from '../support/neighbours/postgres-node.ts';
import { startRabbitmqNode } from '../support/neighbours/rabbitmq-node.ts';
import { startTcpProxy } from '../support/proxies/tcp-proxy.ts';
import { type Door, doorsOf } from '../support/runs/doors.ts';
import { type Fleet, startFleet } from '../support/runs/fleet.ts';
import { answerOf, hangUpOften, type Leave } from '../support/runs/hangup.ts';
import { INSPECTED, liveMemoryOf } from '../support/runs/live-memory.ts';
import { eventually } from '../support/world/eventually.ts';
import type { Process } from '../support/world/process.ts';
import { linesOf, type Proof } from './proof.ts';

const TIMES = 20_000;
const CLIENTS = 64;
const LONGEST_MS = 200;
const SLOW_MS = 2_000;
const SETTLE_MS = 90_000;
/** What a process may hold more of than before: sockets kept for the next request, caches that fill. */
const MORE_SOCKETS = 70;
const MORE_MB = 30;

const leave = (): Leave => ({
  afterMs: Math.random() * LONGEST_MS,
  how: Math.random() < 0.5 ? 'reset' : 'close',
  sends: Math.random() < 0.6 ? 'all' : Math.random() < 0.5 ? 'half' : 'all but a byte',
});

type Held = { sockets: number; mb: number };

/** What a process has open, as Linux says, and in memory. */
async function heldBy({ pid, output }: Process): Promise<Held> {
  const folder = `/proc/${pid}/fd`;
  const links = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(`${folder}/${name}`);
    } catch {
      return '';
    }
  });
  const mb = await liveMemoryOf(output);
  return { sockets: links.filter((link) => link.startsWith('socket:')).length, mb };
}

async function held({ processes }: Fleet): Promise<Map<string, Held>> {
  const all = new Map<string, Held>();
  for (const [name, process] of processes) all.set(name, await heldBy(process));
  return all;
}

/** The doors that do not answer as before: a turn, an upload or a place that was not given back. */
async function refused(base: string, doors: readonly Door[]): Promise<string[]> {
  const wrong: string[] = [];
  // Eight at once of each: as many answers as one person may have, half of the uploads of a process.
  for (const door of doors) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => answerOf(base, door).catch(() => 0)),
    );
    const bad = answers.filter((status) => status === 0 || status === 429 || status >= 500);
    if (bad.length > 0) wrong.push(`${door.name}: ${bad.join(' ')}`);
  }
  return wrong;
}

/** Clients go away at any moment of 0 to 200 ms, at every door; nothing ends and nothing is kept. */
export const hangup: Proof = async ({ print, only }) => {
  const times = Math.ceil(TIMES * (only === '' ? 1 : Number(only) / 100));
  const { lines, say } = linesOf(print);
  let failed = 0;
  say(
    '| processes | database | times | ended | more sockets | more MB | left in the database | wrong |',
  );
  say('|---|---|---|---|---|---|---|---|');
  const broker = await startRabbitmqNode();
  try {
    for (const shape of ['one', 'eight'] as const) {
      const postgres = await startPostgresNode();
      const proxy = await startTcpProxy(postgres);
      try {
        const fleet = await startFleet(shape, {
          ...INSPECTED,
          DATABASE_URL: `postgres://svc_owner@127.0.0.1:${proxy.port}/svc`,
          ...(shape === 'eight' ? { AMQP_URL: broker.url } : {}),
        });
        try {
          const doors = await doorsOf(fleet.admin);
          await hangUpOften(fleet.base, doors, Math.ceil(times / 10), leave, CLIENTS);
          await sleep(2_000);
          for (const slowMs of [0, SLOW_MS]) {
            const before = await held(fleet);
            proxy.slow(slowMs);
            await hangUpOften(fleet.base, doors, times, leave, CLIENTS);
            proxy.slow(0);
            const wrong = fleet.ended();
            const open = await eventually(
              () =>
                postgres.sql(`select pid from pg_stat_activity
                where datname = 'svc' and state <> 'idle' and state <> 'active'`),
              (rows) => rows.length === 0,
              SETTLE_MS,
            );
            await sleep(1_000);
            const answers = await eventually(
              () => refused(fleet.base, doors),
              (bad) => bad.length === 0,
              SETTLE_MS,
            ).catch(() => refused(fleet.base, doors));
            wrong.push(...answers);
            const after = await held(fleet);
            const more = (key: keyof Held): [string, number][] =>
              [...after].map(([name, now]) => [name, now[key] - (before.get(name)?.[key] ?? 0)]);
            wrong.push(
              ...more('sockets').flatMap(([name, n]) =>
                n > MORE_SOCKETS ? [`${name}: ${n} sockets`] : [],
              ),
              ...more('mb').flatMap(([name, n]) => (n > MORE_MB ? [`${name}: ${n} MB`] : [])),
            );
            for (const [name, { output }] of fleet.processes)
              if (output.some((line) => line.includes('an unexpected failure')))
                wrong.push(`${name} failed`);
            failed += wrong.length;
            const most = (key: keyof Held) => Math.max(...more(key).map(([, n]) => n));
            say(
              `| ${shape} | ${slowMs === 0 ? 'alone' : `${slowMs} ms slower`} | ${times} | ${fleet.ended().length} | ${most('sockets')} | ${most('mb')} | ${open.length} | ${wrong.join('; ') || 0} |`,
            );
          }
        } finally {
          await fleet.stop();
        }
      } finally {
        await proxy.stop();
        await postgres.remove();
      }
    }
  } finally {
    await broker.stop();
  }
  return { failed, report: lines };
};

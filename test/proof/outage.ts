import { setTimeout as sleep } from 'node:timers/promises';

import { type PostgresNode, startPostgresNode } from '../support/neighbours/postgres-node.ts';
import { type RabbitmqNode, startRabbitmqNode } from '../support/neighbours/rabbitmq-node.ts';
import { startTcpProxy, type TcpProxy } from '../support/proxies/tcp-proxy.ts';
import { startFleet } from '../support/runs/fleet.ts';
import { type OutageLoad, startOutageLoad } from '../support/runs/outage-load.ts';
import { linesOf, type Proof } from './proof.ts';

const RED_MS = 5_000;
const GREEN_MS = 15_000;
/** Within this time after an outage every command has come to an end. */
const TERMINAL_MS = 15_000;
const QUIET_MS = 20_000;

type World = { db: PostgresNode; standby: PostgresNode; broker: RabbitmqNode; proxy: TcpProxy };
type Outage = {
  name: string;
  /** Processes without this part stay ready. */
  part: 'database' | 'broker' | 'none';
  seconds: number;
  begin(world: World): Promise<void>;
  end(world: World): Promise<void>;
};

const reload = async (db: PostgresNode, text: string): Promise<void> => {
  await db.sql(text);
  await db.sql('select pg_reload_conf()');
};

const outages: readonly Outage[] = [
  {
    name: 'back-ends terminated',
    part: 'none',
    seconds: 10,
    async begin({ db }) {
      for (let n = 0; n < 20; n += 1) {
        await db.sql(`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = 'svc' order by random() limit 5`);
        await sleep(500);
      }
    },
    end: async () => {},
  },
  {
    name: 'PostgreSQL stopped',
    part: 'database',
    seconds: 20,
    begin: ({ db }) => db.crash(),
    end: ({ db }) => db.start(),
  },
  {
    name: 'PostgreSQL read-only',
    part: 'database',
    seconds: 20,
    begin: ({ db }) => reload(db, 'alter system set default_transaction_read_only = on'),
    end: ({ db }) => reload(db, 'alter system reset default_transaction_read_only'),
  },
  {
    name: 'broker killed',
    part: 'broker',
    seconds: 10,
    begin: ({ broker }) => broker.kill(),
    end: ({ broker }) => broker.start(),
  },
  {
    name: 'broker killed for longer than a lease',
    part: 'broker',
    seconds: 66,
    begin: ({ broker }) => broker.kill(),
    end: ({ broker }) => broker.start(),
  },
  {
    name: 'both',
    part: 'database',
    seconds: 30,
    async begin({ db, broker }) {
      await Promise.all([db.crash(), broker.kill()]);
    },
    async end({ db, broker }) {
      await Promise.all([db.start(), broker.start()]);
    },
  },
  {
    name: 'fail-over to a standby',
    part: 'database',
    seconds: 15,
    async begin({ db, standby, proxy }) {
      await db.crash();
      // Read-only until it is promoted.
      proxy.leadTo(standby);
    },
    end: ({ standby }) => standby.promote(),
  },
];

const isDriver = (name: string): boolean => name.startsWith('driver-');

/** Milliseconds until every door that needs the part was red, and green again; null for never. */
function delays(load: OutageLoad, part: Outage['part'], begun: number, ended: number) {
  const doors = [...load.changes].filter(([name]) => part === 'broker' || !isDriver(name));
  const after = (at: number, isReady: boolean): number | null => {
    const found = doors.map(([, changes]) => {
      const last = changes.findLast((change) => change.at < at);
      if (last?.isReady === isReady) return at;
      return changes.find((change) => change.at >= at && change.isReady === isReady)?.at ?? null;
    });
    return found.includes(null) ? null : Math.max(...found.map((time) => time ?? 0)) - at;
  };
  return { red: after(begun, false), green: after(ended, true) };
}

/** Outages under load; `npm run prove -- outage broker` runs those with that word in their names. */
export const outage: Proof = async ({ print, only }) => {
  const { lines, say } = linesOf(print);
  let failed = 0;
  say(
    '| outage | s | red, ms | green, ms | values acknowledged, lost | commands | alarms | 500 | wrong |',
  );
  say('|---|---|---|---|---|---|---|---|---|');
  const db = await startPostgresNode();
  const broker = await startRabbitmqNode();
  const proxy = await startTcpProxy(db);
  const url = `postgres://svc_owner@127.0.0.1:${proxy.port}/svc`;
  let standby: PostgresNode | null = null;
  try {
    const fleet = await startFleet('eight', { DATABASE_URL: url, AMQP_URL: broker.url });
    try {
      standby = await db.standby();
      const world = { db, standby, broker, proxy };
      for (const { name, part, seconds, begin, end } of outages.filter((one) =>
        one.name.includes(only),
      )) {
        const primary = (): PostgresNode => (name.startsWith('fail-over') ? world.standby : db);
        const since = new Date().toISOString();
        const load = await startOutageLoad(fleet, broker.url);
        await sleep(8_000);
        const begun = Date.now();
        await begin(world);
        await sleep(Math.max(0, begun + seconds * 1000 - Date.now()));
        await end(world);
        const ended = Date.now();
        await sleep(TERMINAL_MS);
        const open = await fleetSql(
          primary(),
          `select command_id from svc_point_command_history
          where status in (0, 1) and occur_time < '${new Date(ended).toISOString()}'`,
        );
        await sleep(QUIET_MS);
        await load.stop();
        await sleep(3_000);
        const stored = await fleetSql(
          primary(),
          `select (extract(epoch from create_time) * 1000)::bigint::text as at
          from svc_point_value where point_id = ${load.plant.temperature} and create_time >= '${since}'`,
        );
        const kept = new Set(stored.map(({ at }) => Number(at)));
        const lost = [...load.acknowledged].filter((at) => !kept.has(at)).length;
        const alarms = await fleetSql(
          primary(),
          `select message from svc_entity_alarm where create_time >= '${since}'`,
        );
        const ends = await fleetSql(
          primary(),
          `select status || ' ' || error_code as how, count(*)::text as n
          from svc_point_command_history where create_time >= '${since}' group by 1 order by 1`,
        );
        const { red, green } = delays(load, part, begun, ended);
        const broken = load.answers.get(500) ?? 0;
        const wrong = [
          ...(lost > 0 ? [`${lost} values lost`] : []),
          ...alarms.map(({ message }) => `alarm: ${String(message)}`),
          ...(broken > 0 ? [`${broken} answers 500`] : []),
          ...(open.length > 0 ? [`${open.length} commands open`] : []),
          ...(ends.some(({ how }) => String(how).includes('BUS_FULL')) ? ['BUS_FULL'] : []),
          ...(load.offline.length > 0 ? [`${load.offline.length} times told offline`] : []),
          ...(part !== 'none' && (red === null || red > RED_MS) ? [`red after ${red} ms`] : []),
          ...(green === null || green > GREEN_MS ? [`green after ${green} ms`] : []),
          ...fleet.ended(),
        ];
        failed += wrong.length;
        const told = ends.map(({ how, n }) => `${String(how).trim()}: ${String(n)}`).join(', ');
        say(
          `| ${name} | ${seconds} | ${part === 'none' ? '' : red} | ${green} | ${load.acknowledged.size}, ${lost} | ${told} | ${alarms.length} | ${broken} | ${wrong.join('; ') || 0} |`,
        );
      }
    } finally {
      await fleet.stop();
    }
  } finally {
    await standby?.remove();
    await proxy.stop();
    await broker.stop();
    await db.remove();
  }
  return { failed, report: lines };
};

const fleetSql = (db: PostgresNode, text: string) => db.sql(text, 'svc');

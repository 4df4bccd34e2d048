import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';

import { freePort } from '../support/neighbours/free-port.ts';
import { login } from '../support/people/session.ts';
import { type Outcome, revokeOften } from '../support/runs/revocation/trials.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { type Server, startServer } from '../support/world/server.ts';
import { onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const TRIALS = 1_000;
const GATEWAYS = 3;
/** Trials at the same time, in one tenant. */
const LANES = 3;
const SEED = Number(process.env['REVOCATION_SEED'] ?? 20_261_122);
const MINUTES = Number(process.env['REVOCATION_MINUTES'] ?? 60);

/** Takes rights away at one of three processes on one database, while calls run at all of them. */
export const revocation: Proof = async ({ print, only }) => {
  if (!process.env['DATABASE_URL']) return { failed: 1, report: ['DATABASE_URL is needed'] };
  const trials = Math.ceil(TRIALS * (only === '' ? 1 : Number(only) / 100));
  const { lines, say } = linesOf(print);
  const outcomes: Outcome[] = [];
  await onEngine('postgres', async (environment) => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-revocation-'));
    const servers: Server[] = [];
    const owner = new pg.Client({ connectionString: environment['DATABASE_URL'] });
    try {
      const port = await freePort();
      const bases: string[] = [];
      for (let n = 0; n < GATEWAYS; n += 1) {
        const own = {
          SVC_DEMO: 'off',
          SVC_BASE_URL: `http://127.0.0.1:${port}`,
          SVC_PORT: String(n === 0 ? port : await freePort()),
          SVC_DATA_DIR: join(folder, String(n)),
        };
        servers.push(await startServer({ ...testEnvironment, ...environment, ...own }));
        bases.push(`http://127.0.0.1:${own.SVC_PORT}`);
      }
      await owner.connect();
      await owner.query(`select set_config('svc.tenant_free', 'doctor', false)`);
      const admin = await login(
        bases[0] ?? '',
        'default',
        'admin',
        testEnvironment.SVC_ADMIN_PASSWORD,
      );
      const profilesNamed = async (prefix: string) => {
        const { rows } = await owner.query<{ name: string }>(
          `select profile_name as name from svc_profile where profile_name like $1 || '-%'`,
          [prefix],
        );
        return rows.map(({ name }) => name);
      };
      const until = performance.now() + MINUTES * 60_000;
      const lane = async (_: unknown, at: number): Promise<void> => {
        const given = { trials: Math.ceil(trials / LANES), seed: SEED + at };
        for await (const outcome of revokeOften({ bases, admin, profilesNamed }, given)) {
          outcomes.push(outcome);
          for (const wrong of outcome.wrong) print(`${outcome.kind}: ${wrong}`);
          if (outcomes.length % 50 === 0) print(`${outcomes.length} trials`);
          if (performance.now() > until) break;
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
    } finally {
      await owner.end();
      for (const server of servers) await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
  const total = (all: readonly Outcome[], of: (one: Outcome) => number): number =>
    all.reduce((sum, one) => sum + of(one), 0);
  const spread = (values: readonly number[]): string => {
    const sorted = values.toSorted((one, other) => one - other);
    const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)]?.toFixed(0);
    return [at(0.5), at(0.99), at(1)].join(' / ');
  };
  say(
    `${GATEWAYS} processes on one PostgreSQL, seed ${SEED}. Times are ms after the answer of the`,
  );
  say('revocation, p50 / p99 / most: when the last call with an effect began, and when it ended.');
  say(
    'A call that begins more than 50 ms after the answer and works is wrong; so is a row that a call',
  );
  say('wrote which began after the answer.');
  say('');
  say('| taken away | trials | calls | rows written | last one began | last one ended | wrong |');
  say('|---|---|---|---|---|---|---|');
  for (const [kind, all = []] of Object.entries(Object.groupBy(outcomes, (one) => one.kind)))
    say(
      `| ${kind} | ${all.length} | ${total(all, ({ calls }) => calls)} | ${total(all, ({ writes }) => writes)} | ${spread(all.map(({ lastBegan }) => lastBegan))} | ${spread(all.map(({ lastEnded }) => lastEnded))} | ${total(all, ({ wrong }) => wrong.length)} |`,
    );
  const failed = total(outcomes, ({ wrong }) => wrong.length);
  say(
    `| in all | ${outcomes.length} | ${total(outcomes, ({ calls }) => calls)} | | | | ${failed} |`,
  );
  for (const { kind, wrong } of outcomes) for (const text of wrong) say(`- ${kind}: ${text}`);
  return { failed, report: lines };
};

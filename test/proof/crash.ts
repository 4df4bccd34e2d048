import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { CrashBench, judge, type Round, writePoints } from '../support/crash.ts';
import { databaseUrl, dropDatabase, withServer } from '../support/template.ts';
import type { Proof } from './proof.ts';

const ROUNDS = 10;

/** Kills the platform ten times at every named point, on each engine that is there. */
export const crash: Proof = async ({ print }) => {
  let failed = 0;
  const lines: string[] = [];
  const say = (line: string): void => {
    print(line);
    lines.push(line);
  };
  const engines = process.env['DATABASE_URL'] ? ['embedded', 'postgres'] : ['embedded'];
  say(
    '| engine | point | rounds | statuses | executed more than once | slowest end after restart, s | wrong |',
  );
  say('|---|---|---|---|---|---|---|');
  for (const engine of engines) {
    await onEngine(engine, async (bench) => {
      for (const point of writePoints) {
        const rounds: Round[] = [];
        for (let n = 0; n < ROUNDS; n += 1)
          rounds.push(await bench.write(point, String(6 + writePoints.indexOf(point) * 5 + n / 2)));
        const wrong = rounds.flatMap(judge);
        failed += wrong.length;
        const statuses = Object.entries(Object.groupBy(rounds, ({ status }) => status)).map(
          ([status, all]) => `${status} ${all?.length}`,
        );
        const slowest = Math.max(
          ...rounds.map(({ secondsToTerminal }) => secondsToTerminal),
        ).toFixed(1);
        const twice = rounds.filter(({ executions }) => executions > 1).length;
        say(
          `| ${engine} | ${point} | ${rounds.length} | ${statuses.join(', ')} | ${twice} | ${slowest} | ${wrong.join('; ') || 0} |`,
        );
      }
      let [acknowledged, lost, unexpected] = [0, 0, 0];
      for (let n = 0; n < ROUNDS; n += 1) {
        const round = await bench.ingest(3 + n);
        acknowledged += round.acknowledged;
        lost += round.lost;
        unexpected += round.unexpected;
      }
      failed += lost + unexpected;
      say(
        `| ${engine} | ingest | ${ROUNDS} | values acknowledged ${acknowledged}, lost ${lost}, unexpected ${unexpected} | | | ${lost + unexpected} |`,
      );
    });
  }
  return { failed, report: lines };
};

async function onEngine(engine: string, work: (bench: CrashBench) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-proof-'));
  const url = process.env['DATABASE_URL'];
  const database = `svc_proof_${process.pid}`;
  const environment: Record<string, string> = { SVC_DATA_DIR: directory };
  if (engine === 'postgres' && url) {
    await withServer(url, (client) => client.query(`create database ${database}`));
    environment['DATABASE_URL'] = databaseUrl(url, database);
  }
  const bench = await CrashBench.open(environment);
  try {
    await work(bench);
  } finally {
    await bench.close();
    if (engine === 'postgres' && url) await dropDatabase(url, database);
    await rm(directory, { recursive: true, force: true });
  }
}

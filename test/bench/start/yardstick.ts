/** The least a start can be: the same engine opened as durably, the same SQL, nothing else of ours. */
import { readdirSync, readFileSync } from 'node:fs';

import pg from 'pg';

import { openEmbedded } from '../../../src/db/embedded/engine.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';

const SQL = new URL('../../../sql/', import.meta.url);

const [temperature, where = ''] = process.argv.slice(2);
const { client, close } = await open();
if (temperature === 'cold') {
  for (const file of readdirSync(SQL).toSorted()) {
    if (/^\d{4}_/.test(file)) await client.query(readFileSync(new URL(file, SQL), 'utf8'));
  }
} else {
  await client.query('select 1');
}
process.once('disconnect', () => process.exit());
process.once('SIGTERM', () => void close().then(() => process.exit()));
process.send?.('ready');

async function open() {
  if (URL.canParse(where)) {
    const server = new pg.Client({ connectionString: where });
    await server.connect();
    return { client: server, close: () => server.end() };
  }
  const engine = await openEmbedded({
    dataDir: where,
    clock: systemClock,
    log: createLog('silent'),
  });
  const embedded = new pg.Client(engine.poolConfig);
  await embedded.connect();
  return {
    client: embedded,
    async close() {
      await embedded.end();
      await engine.close();
    },
  };
}

// A process of its own for the crash tests: `node embedded-writer.ts <dataDir> <lock | write>`.
import { Pool } from 'pg';

import { openEmbedded } from '../../src/db/embedded/engine.ts';
import { lockDirectory } from '../../src/db/embedded/lock.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';

const [dataDir = '', mode] = process.argv.slice(2);

try {
  if (mode === 'lock') {
    lockDirectory(dataDir);
    console.log('locked');
    process.stdin.resume(); // holds it until the parent lets go
  } else {
    const engine = await openEmbedded({ dataDir, clock: systemClock, log: createLog('silent') });
    const pool = new Pool({ ...engine.poolConfig });
    await pool.query('create table if not exists kept (id int primary key, filler text)');
    const last = await pool.query<{ id: number }>('select coalesce(max(id), 0) as id from kept');
    for (let from = (last.rows[0]?.id ?? 0) + 1; ; from += 10) {
      await pool.query(
        `insert into kept select g, repeat('x', 500) from generate_series($1::int, $1::int + 9) g`,
        [from],
      );
      process.stdout.write(`${from + 9}\n`);
      if (from % 500 === 1) await engine.maintain();
    }
  }
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

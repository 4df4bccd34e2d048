import { join } from 'node:path';

import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';

import { writeHead } from '../../src/auth/audit/outside-head.ts';
import { LATE_MS, sealBatch } from '../../src/auth/audit/seal.ts';
import {
  FORMS,
  type Heads,
  SEALED_LOGS,
  type SealedLog,
  TABLE_OF,
} from '../../src/auth/audit/sealed-log.ts';
import { headsIn, type Verified, verifyAudit, verifyIn } from '../../src/auth/audit/verify.ts';
import type { Queries } from '../../src/db/connect.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import { startedWorld } from '../support/world/prepared.ts';

/** Thrown so that what was done is rolled back. */
class Undone extends Error {}

const ROWS = 8;

let tenantId: string;
let headFile: string;

const across = <T>(work: (q: Queries) => Promise<T>) => acrossTenants(world.app.db, 'audit', work);

/** One more row of each log. */
const addRows = (q: Queries, n: number) =>
  Promise.all([
    sql`insert into svc_identity_audit_log (tenant_id, principal_id, action, resource_name, status, detail_ext)
      values (${tenantId}, 0, 'UPDATE', ${`thing ${n}`}, 'SUCCESS', ${JSON.stringify({ n, b: 1 })})`.execute(
      q,
    ),
    sql`insert into svc_mcp_audit_log (tenant_id, principal_id, tool_name, status)
      values (${tenantId}, 0, ${`tool ${n}`}, 'SUCCESS')`.execute(q),
    sql`insert into svc_change_log (tenant_id, entity_type, entity_id, entity_name, operation, changes)
      values (${tenantId}, 'point', ${n}, ${`point ${n}`}, 'UPDATE', ${JSON.stringify({ max: [n, n + 1] })})`.execute(
      q,
    ),
  ]);

/** Seals all there is. */
async function seal(): Promise<Heads> {
  for (;;) {
    const { heads, isDone } = await sealBatch(world.app);
    if (heads && isDone) return heads;
  }
}

const world = startedWorld();
beforeAll(async () => {
  ({ tenantId } = await world.tenant('here'));
  headFile = join(world.app.config.dataDir, 'kept.jsonl');
  for (let n = 0; n < ROWS; n += 1) {
    await across((q) => addRows(q, n));
    if (n === 4) await writeHead(headFile, await seal(), world.clock.now());
  }
  await writeHead(headFile, await seal(), world.clock.now());
});

/** The ids of the last rows of a log, oldest first. */
async function lastIds(q: Queries, log: SealedLog, count: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(TABLE_OF[log])} order by id desc limit ${count}`.execute(q);
  return rows.map(({ id }) => id).toReversed();
}

type Rows = { table: string; ids: string[] };

/** What is found after the owner of the database did this, without the triggers; nothing of it stays. */
async function foundAfter(
  log: SealedLog,
  tamper: (q: Queries, rows: Rows) => Promise<unknown>,
): Promise<string[]> {
  let verified: Verified[] = [];
  const heads = await headsIn(headFile);
  const doing = across(async (q) => {
    await sql`set local role none`.execute(q);
    for (const table of [TABLE_OF[log], 'svc_audit_seal'])
      await run(q, `alter table ${table} disable trigger svc_append_only`);
    await tamper(q, { table: TABLE_OF[log], ids: await lastIds(q, log, 4) });
    verified = await verifyIn(q, world.app.keys.auditSeal, heads);
    throw new Undone();
  });
  await expect(doing).rejects.toBeInstanceOf(Undone);
  expect(verified.filter((one) => one.log !== log).flatMap(({ findings }) => findings)).toEqual([]);
  return verified.find((one) => one.log === log)?.findings ?? [];
}

const run = (q: Queries, statement: string) => sql.raw(statement).execute(q);
const NAME = { identity: 'resource_name', mcp: 'tool_name', change: 'entity_name' } as const;

describe('the seals of the audit logs', () => {
  it('fit what was written, and say what waits for its seal', async () => {
    const before = await verifyAudit(world.app, headFile);
    expect(before.flatMap(({ findings }) => findings)).toEqual([]);
    expect(before.map(({ log, heads }) => [log, heads])).toEqual([
      ['identity', 2],
      ['mcp', 2],
      ['change', 2],
    ]);
    for (const { sealed } of before) expect(Number(sealed)).toBeGreaterThanOrEqual(ROWS);
    const heads = await headsIn(headFile);
    const doing = across(async (q) => {
      await addRows(q, 99);
      const verified = await verifyIn(q, world.app.keys.auditSeal, heads);
      expect(verified.map(({ unsealed, findings }) => [unsealed, findings])).toEqual([
        [1, []],
        [1, []],
        [1, []],
      ]);
      throw new Undone();
    });
    await expect(doing).rejects.toBeInstanceOf(Undone);
  });

  it.each(SEALED_LOGS)('name one byte that was changed in the %s log', async (log) => {
    const [first] = await foundAfter(log, (q, { table, ids }) =>
      run(q, `update ${table} set ${NAME[log]} = ${NAME[log]} || 'x' where id = ${ids[1]}`),
    );
    expect(first).toMatch(
      new RegExp(`^${TABLE_OF[log]} \\d+ .*: the row or its seal was changed$`),
    );
    expect(first).toContain((await across((q) => lastIds(q, log, 4)))[1]);
  });

  it.each(SEALED_LOGS)('name a time that was moved by a microsecond in the %s log', async (log) => {
    const found = await foundAfter(log, (q, { table, ids }) =>
      run(
        q,
        `update ${table} set create_time = create_time + interval '1 microsecond' where id = ${ids[0]}`,
      ),
    );
    expect(found).toEqual([expect.stringContaining('the row or its seal was changed')]);
  });

  it.each(SEALED_LOGS)(
    'name a row that was deleted from the %s log, and the last one',
    async (log) => {
      const ids = await across((q) => lastIds(q, log, 4));
      for (const at of [1, 3])
        expect(
          await foundAfter(log, (q, { table }) =>
            run(q, `delete from ${table} where id = ${ids[at]}`),
          ),
        ).toEqual([
          expect.stringMatching(
            new RegExp(`^${TABLE_OF[log]} ${ids[at]} .*: the row was deleted$`),
          ),
        ]);
    },
  );

  it.each(SEALED_LOGS)('name two rows of the %s log that were exchanged', async (log) => {
    const ids = await across((q) => lastIds(q, log, 4));
    const found = await foundAfter(log, async (q, { table }) => {
      await run(q, `alter table ${table} alter column id drop identity`);
      await run(q, `update ${table} set id = -1 where id = ${ids[0]}`);
      await run(q, `update ${table} set id = ${ids[0]} where id = ${ids[2]}`);
      await run(q, `update ${table} set id = ${ids[2]} where id = -1`);
    });
    expect(found).toEqual([
      expect.stringContaining(`${ids[0]} (seal `),
      expect.stringContaining(`${ids[2]} (seal `),
    ]);
    expect(found[0]).toContain(`exchanged with row ${ids[2]}`);
    expect(found[1]).toContain(`exchanged with row ${ids[0]}`);
  });

  it('name a seal that was removed, and two that were exchanged', async () => {
    const seals = `svc_audit_seal where log = 'change' and seq`;
    const [removed] = await foundAfter('change', (q) => run(q, `delete from ${seals} = 3`));
    expect(removed).toMatch(/^svc_change_log: seal 3 was removed, before the one of row \d+$/);
    const exchanged = await foundAfter('change', async (q) => {
      await run(q, `update svc_audit_seal set seq = -1 where log = 'change' and seq = 3`);
      await run(q, `update svc_audit_seal set seq = 3 where log = 'change' and seq = 4`);
      await run(q, `update svc_audit_seal set seq = 4 where log = 'change' and seq = -1`);
    });
    expect(exchanged[0]).toMatch(/\(seal 3\): the row or its seal was changed$/);
  });

  it('show by the outside head that the end was cut off together with its seals', async () => {
    const found = await foundAfter('identity', async (q, { table, ids }) => {
      await run(q, `delete from svc_audit_seal where log = 'identity' and row_id = ${ids[3]}`);
      await run(q, `delete from ${table} where id = ${ids[3]}`);
    });
    expect(found).toEqual([
      expect.stringMatching(
        /^the outside head of .* counts (\d+) rows, .*: rows and their seals after the last one were removed$/,
      ),
    ]);
  });

  it('do not hide a missing head', async () => {
    const found = (await verifyAudit(world.app, join(headFile, '..', 'nothing'))).flatMap(
      ({ findings }) => findings,
    );
    expect(found).toHaveLength(SEALED_LOGS.length);
    expect(found[0]).toContain('the outside head is missing');
  });

  it('fit only with the key that they were made with', async () => {
    const verified = await across((q) => verifyIn(q, Buffer.alloc(32), []));
    for (const { findings, more, sealed } of verified)
      expect(findings.length + more).toBe(Number(sealed));
  });

  it('cover every column of their logs', async () => {
    const { rows } = await sql<{ table: string; name: string }>`
      select c.table_name as table, c.column_name as name from information_schema.columns c
      where c.table_name in (${sql.join(Object.values(TABLE_OF))}) and c.column_name <> 'id'`.execute(
      world.app.db.queries,
    );
    for (const log of SEALED_LOGS)
      expect(FORMS[log].at(-1)?.toSorted()).toEqual(
        rows
          .filter(({ table }) => table === TABLE_OF[log])
          .map(({ name }) => name)
          .toSorted(),
      );
  });

  it('are never made for a row that is put among old ones', async () => {
    let gap = '';
    const undoing = across(async (q) => {
      await addRows(q, 1);
      [gap = ''] = await lastIds(q, 'identity', 1);
      throw new Undone();
    });
    await expect(undoing).rejects.toBeInstanceOf(Undone);
    await across((q) => addRows(q, 2));
    await seal();
    world.clock.shift(LATE_MS + 60_000);
    await across((q) => addRows(q, 3));
    await seal();
    await across((q) =>
      sql`insert into svc_identity_audit_log (id, tenant_id, principal_id, action, status)
        overriding system value values (${gap}, ${tenantId}, 0, 'UPDATE', 'SUCCESS')`.execute(q),
    );
    await seal();
    const [identity] = await verifyAudit(world.app, headFile);
    expect(identity?.findings).toEqual([
      `svc_identity_audit_log ${gap}: inserted among older rows, or its seal was removed`,
    ]);
  });
});

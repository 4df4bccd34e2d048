import type { Link } from './link.ts';

/** What one round of maintenance did. */
type MaintenanceRound = { checkpointed: boolean; tables: string[] };

type MaintenanceLimits = {
  /** Write-ahead log since the last checkpoint at which the next one is due at once. */
  walBytes: number;
  /** After this long a checkpoint is due if there is any log at all. */
  checkpointMs: number;
  /** Tables vacuumed or analyzed in one round: the only session is blocked meanwhile. */
  tablesPerRound: number;
};

export const defaultLimits: MaintenanceLimits = {
  walBytes: 64 * 1024 * 1024,
  checkpointMs: 5 * 60_000,
  tablesPerRound: 2,
};

const WAL_SINCE_CHECKPOINT = `
  select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::text from pg_control_checkpoint()`;

/**
 * Autovacuum's formula (PostgreSQL manual, 24.1.6), tighter where rows are rewritten most. What only grows is vacuumed
 * too: an index-only scan of rows that no vacuum saw reads each of them.
 */
const tablesInNeed = (limit: number): string => `
  select format('%s %I.%I', case when greatest(s.dead, s.inserted) > s.enough or age(c.relfrozenxid) > 150000000
    then 'vacuum (analyze)' else 'analyze' end, n.nspname, c.relname)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  cross join lateral (select
    pg_stat_get_dead_tuples(c.oid) as dead,
    pg_stat_get_ins_since_vacuum(c.oid) as inserted,
    pg_stat_get_mod_since_analyze(c.oid) as changed,
    1000 + pg_stat_get_live_tuples(c.oid) * case
      when c.relname in ('svc_point_latest', 'svc_point_command_history', 'svc_entity_state')
      then 0.05 else 0.2 end as enough) s
  where c.relkind in ('r', 'm') and c.relpersistence = 'p'
    and (greatest(s.dead, s.inserted, s.changed) > s.enough or age(c.relfrozenxid) > 150000000)
  order by s.dead desc, s.changed desc limit ${limit}`;

/**
 * One round: vacuums tables in need and checkpoints when due, in place of the checkpointer and autovacuum
 * that a single-user PostgreSQL lacks. Undefined when the round was waived.
 */
export async function maintain(
  link: Link,
  limits: MaintenanceLimits,
  msSinceCheckpoint: number,
): Promise<MaintenanceRound | undefined> {
  const needed = await link.maintain([tablesInNeed(limits.tablesPerRound)]);
  if (needed === undefined) return undefined;
  const statements = (needed[0] ?? []).flatMap(([sql]) => (typeof sql === 'string' ? [sql] : []));
  // Vacuum first: after a checkpoint it would log every page it touches in full again.
  const tables: string[] = [];
  for (const statement of statements) {
    // One request each, so that a waiting query gets its turn in between.
    if (await link.maintain([statement])) tables.push(statement);
  }
  const wal = Number((await link.maintain([WAL_SINCE_CHECKPOINT]))?.[0]?.[0]?.[0] ?? 0);
  const due = wal > limits.walBytes || (msSinceCheckpoint >= limits.checkpointMs && wal > 0);
  const checkpointed = due && (await link.maintain(['checkpoint'])) !== undefined;
  return { checkpointed, tables };
}

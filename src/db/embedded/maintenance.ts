import type { Link } from './link.ts';

/** What one round of maintenance did. */
export type MaintenanceRound = { checkpointed: boolean; vacuumed: string[] };

export type MaintenanceLimits = {
  /** Write-ahead log since the last checkpoint that makes one due at once. */
  walBytes: number;
  /** After this long a checkpoint is due if there is any log at all. */
  checkpointMs: number;
  /** Tables vacuumed in one round: the only session stands still meanwhile. */
  tablesPerRound: number;
};

export const defaultLimits: MaintenanceLimits = {
  walBytes: 64 * 1024 * 1024,
  checkpointMs: 5 * 60_000,
  tablesPerRound: 2,
};

const WAL_SINCE_CHECKPOINT = `
  select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::text from pg_control_checkpoint()`;

/** Autovacuum's formula (PostgreSQL manual, 24.1.6), tighter where rows are rewritten most. */
const tablesInNeed = (limit: number): string => `
  select format('%I.%I', s.schemaname, s.relname)
  from pg_stat_all_tables s join pg_class c on c.oid = s.relid
  cross join lateral (select case
    when s.relname in ('svc_point_latest', 'svc_point_command_history', 'svc_entity_state')
    then 0.05 else 0.2 end as share) hot
  where c.relkind in ('r', 'm') and c.relpersistence = 'p' and s.schemaname !~ '^pg_toast'
    and (s.n_dead_tup > 1000 + hot.share * s.n_live_tup
      or s.n_mod_since_analyze > 1000 + hot.share * s.n_live_tup
      or age(c.relfrozenxid) > 150000000)
  order by s.n_dead_tup desc, s.n_mod_since_analyze desc limit ${limit}`;

/**
 * One round: vacuum what needs it and checkpoint when due, in place of the checkpointer and autovacuum that
 * a single-user PostgreSQL does not have. Undefined when it was waived.
 */
export async function maintain(
  link: Link,
  limits: MaintenanceLimits,
  msSinceCheckpoint: number,
): Promise<MaintenanceRound | undefined> {
  const needed = await link.maintain([tablesInNeed(limits.tablesPerRound)]);
  if (needed === undefined) return undefined;
  const tables = (needed[0] ?? []).flatMap(([table]) => (typeof table === 'string' ? [table] : []));
  // Vacuum first: after a checkpoint it would log every page it touches in full once more.
  const vacuumed: string[] = [];
  for (const table of tables) {
    // One request each, so that a waiting query gets its turn in between.
    if (await link.maintain([`vacuum (analyze) ${table}`])) vacuumed.push(table);
  }
  const wal = Number((await link.maintain([WAL_SINCE_CHECKPOINT]))?.[0]?.[0]?.[0] ?? 0);
  const due = wal > limits.walBytes || (msSinceCheckpoint >= limits.checkpointMs && wal > 0);
  const checkpointed = due && (await link.maintain(['checkpoint'])) !== undefined;
  return { checkpointed, vacuumed };
}

import { relyingOn } from '../../db/basis.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';

const EVERY_MS = 60_000;

/** Rows that say when they were last used, to the minute; `atMs` is ms since the epoch, null before the first use. */
export type Use = {
  table: 'svc_key' | 'svc_service_account' | 'svc_mcp_connection';
  ids: readonly string[];
  atMs: number | null;
};

/** Writes the time of use, at most once a minute however busy a client is. */
export async function noteUse(app: App, use: Use): Promise<void> {
  const now = app.clock.now();
  if (use.atMs !== null && now - use.atMs < EVERY_MS) return;
  use.atMs = now;
  await relyingOn(null, () =>
    acrossTenants(app.db, 'oauth', (q) =>
      q
        .updateTable(use.table)
        .set({ lastUsedTime: new Date(now) })
        .where('id', 'in', [...use.ids])
        .execute(),
    ),
  );
}

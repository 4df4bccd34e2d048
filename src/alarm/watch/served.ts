import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { quoted } from '../../kernel/sentence/voice.ts';

const MAX_NAMED = 5;

/** The devices of a driver as the end of a sentence about it: their outage has the same cause. Empty without any. */
export async function servedBy(
  q: Queries,
  { tenantId, id }: { tenantId: string; id: string },
): Promise<string> {
  const { rows } = await sql<{ name: string; total: number }>`
    select device_name as name, (count(*) over ())::int as total from svc_device
    where tenant_id = ${tenantId} and driver_id = ${id} and enable_flag = ${EnableFlag.ENABLE}
    order by device_name limit ${MAX_NAMED}`.execute(q);
  const total = rows[0]?.total ?? 0;
  if (total === 0) return '';
  const names = rows.map(({ name }) => quoted(name)).join(', ');
  const more = total > rows.length ? ` and ${total - rows.length} more` : '';
  return `; it serves ${total === 1 ? '1 device' : `${total} devices`}: ${names}${more}`;
}

import { breaks, type Mutation } from './mutation.ts';

/** The change log. */
export const changes: readonly Mutation[] = [
  breaks(
    'sql/0255_audit.sql',
    "hidden := hidden || 'config_value'::text;",
    'hidden := hidden;',
    'api/change',
    'keeps secrets to itself',
  ),
  breaks(
    'sql/0255_audit.sql',
    "if tg_op = 'UPDATE' and diff = '{}' then",
    "if tg_op = 'UPDATE' and diff is null then",
    'api/change',
    'says nothing of an update that changes nothing',
  ),
  breaks(
    'src/kernel/app/route.ts',
    "if (risk === 'read')",
    "if (risk !== 'read')",
    'api/change',
    'names the caller that deleted something, which the row cannot say any more',
  ),
  breaks(
    'src/data/change/change-row.ts',
    'where w.tenant_id = ${tenantId} and w.type = ${CommandType.WRITE}',
    'where w.tenant_id = ${tenantId} and w.type <> ${CommandType.WRITE}',
    'api/change',
    'tells of a proposal, its rejection, and a write with what became of it',
  ),
  breaks(
    'src/data/change/change.ts',
    'limit: limit + 1,',
    'limit,',
    'api/change',
    'is read page by page without losing or repeating a row, also within one millisecond',
  ),
  breaks(
    'src/data/command/refusal-text.ts',
    "const closed = use === 'readable' ? RwFlag.WRITE_ONLY : RwFlag.READ_ONLY;",
    "const closed = use === 'readable' ? RwFlag.READ_ONLY : RwFlag.WRITE_ONLY;",
    'api/point-command',
    'is the answer for a point that is not writable',
  ),
  breaks(
    'src/data/ingest/event-report.ts',
    '    if (earlier) return earlier;\n',
    '',
    'api/event',
    'answers a repeated report as before after an',
  ),
  breaks(
    'src/data/ingest/reported.ts',
    'canonicalJson(asked.paramValues) === canonicalJson(first.paramValues)',
    'asked.deviceId === first.deviceId',
    'api/event',
    'is stored once, however often it is repeated',
  ),
];

import { breaks, type Mutation } from './mutation.ts';

/** Times and ages of values, what alarms keep and show, tables: broken one line at a time. */
export const values: readonly Mutation[] = [
  // Times that lie ahead
  breaks(
    'src/data/value/stored-value.ts',
    'export const MAX_AHEAD_MS = 120_000;',
    'export const MAX_AHEAD_MS = 86_400_000;',
    'api/value-time',
    'of 20 hours silences no rule and freezes no latest',
  ),
  breaks(
    'src/data/ingest/ingest.ts',
    '>= (least(l.create_time, l.receive_time), l.create_time, l.seq)',
    '>= (l.create_time, l.create_time, l.seq)',
    'api/value-time',
    'of a minute keeps its time, and gives way',
  ),
  breaks(
    'src/alarm/rule/decide.ts',
    'return ms > now ? -1 : ms;',
    'return ms;',
    'api/value-time',
    'that was stored before gives way to the next',
  ),
  breaks(
    'src/alarm/rule/decide.ts',
    '(fact.seq ?? 0n) <= BigInt(state.lastFactSeq)',
    'fact.at >= 0',
    'api/value-time',
    'are each looked at by rules, once',
  ),
  breaks(
    'src/data/history/rows.ts',
    '`(create_time, seq) ${further} (',
    '`(create_time, 0) ${further} (',
    'api/value-time',
    'are all found by paging with the cursor',
  ),
  // Ages
  breaks(
    'src/data/value/freshness.ts',
    'const stale = ageMs > STALE_AFTER * intervalMs;',
    'const stale = ageMs < 0 * intervalMs * STALE_AFTER;',
    'api/value-age',
    'is stale and UNCERTAIN wherever it is shown',
  ),
  breaks(
    'src/manager/presence/presence.ts',
    "statusReason: 'it never connected', neverConnected: true };",
    "statusReason: 'it never connected', neverConnected: false };",
    'api/value-age',
    'is told from one that never was, with since when',
  ),
  breaks(
    'driver/virtual/driver.ts',
    '?? { from: to, to, since: now }',
    '?? { from: config.min, to, since: now }',
    'unit/driver-virtual',
    'lets a point approach the set-point it follows',
  ),
  // Alarms
  breaks(
    'src/alarm/search/found-rows.ts',
    'order by a.alarm_level_flag, a.create_time, a.id`.execute(q)',
    'order by a.id desc`.execute(q)',
    'api/alarm-active',
    'begin with what fires, by level and age',
  ),
  breaks(
    'tools/resource/define.ts',
    'return next(records.at(-1), answer)',
    'return next(records[0], answer)',
    'api/alarm-active',
    'that one answer cannot hold are all found behind it, each once',
  ),
  breaks(
    'src/alarm/rule/state-row.ts',
    'if (Object.keys(kept).length > 0) await',
    'if (Object.keys(kept).length > 9) await',
    'api/alarm-episode',
    'and each further episode counts for itself',
  ),
  breaks(
    'src/alarm/rule/rule.ts',
    '  const alarmIds = await endEpisodes(q, tenantId, given);\n  await wake(q, tenantId, { alarmIds }, given.now);\n',
    '',
    'api/alarm-episode',
    'ends, and says why, when its rule ',
  ),
  // Tables
  breaks(
    'src/kernel/input/csv.ts',
    '    if (read - rowsEnd > MAX_ROW_BYTES) throw tooLong(rows + 1);\n',
    '',
    'unit/csv',
    ' is refused',
  ),
  breaks(
    'src/manager/device/import.ts',
    '    await takeBack(app, caller, added);\n',
    '',
    'api/device-import',
    'leaves nothing of the slices before one that is refused',
  ),
  breaks(
    'src/data/ingest/value-import.ts',
    "    if (stored.claimedTime !== null) refuse(isTable, index, 'createTime lies ahead');\n",
    '',
    'api/value-import',
    'are refused, all of them',
  ),
];

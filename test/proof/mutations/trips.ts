import { breaks, type Mutation } from './mutation.ts';

const APART = ['api/isolation', 'keeps tenants, answers and failures apart'] as const;

const TAKEN = ['api/revocation', 'takes a right away at three gateways'] as const;

const STORED = [
  'api/device-version',
  'ends with its device: the next value is not stored',
] as const;
const JUDGED = [
  'api/device-version',
  'has another rule from the next value on, where values are judged',
] as const;

/** What a call takes of the database. */
export const trips: readonly Mutation[] = [
  breaks(
    'src/manager/device/label.ts',
    "    return pageOf(query.orderBy('id', 'desc'), given.page, Label.of);",
    "    void query.execute();\n    return pageOf(query.orderBy('id', 'desc'), given.page, Label.of);",
    'api/trips/trips',
    'takes as many trips and statements as trips.txt says',
  ),
  // Isolation
  breaks(
    'src/db/tenant.ts',
    '.sendSingle([contextOf(scope), ...statements])',
    ".sendSingle([{ sql: 'select 1', parameters: [] }, ...statements])",
    ...APART,
  ),
  breaks(
    'src/db/tenant.ts',
    'parameters: [] }, contextOf(scope)], note)',
    'parameters: [] }], note)',
    ...APART,
  ),
  breaks('src/db/tenant.ts', 'set_config($1, $2, true)', 'set_config($1, $2, false)', ...APART),
  breaks('src/db/tenant.ts', 'svc_require_version($4, $5)', '$4::bigint, $5::text', ...APART),
  breaks('src/db/trip/connection.ts', 'if (this.#isOnce) this.close();', '', ...APART),
  breaks('src/db/trip/connection.ts', 'if (this.#isClosed) throw new Error(LATE);', '', ...APART),
  breaks(
    'src/db/trip/connection.ts',
    "if (answer?.command !== 'COMMIT')",
    'if (answer === undefined)',
    ...APART,
  ),
  breaks('src/db/trip/session.ts', 'release(this.isBroken)', 'release(false)', ...APART),
  breaks('src/db/trip/session.ts', 'if (this.isBroken) throw', 'if (false) throw', ...APART),
  breaks('src/db/trip/trip.ts', 'for (const sql of this.#new) all?.forget(sql);', '', ...APART),
  breaks(
    'src/db/trip/trip.ts',
    'error.code === STALE_PLAN) all?.forget(failed)',
    'error.code === STALE_PLAN) all?.of(failed, 0)',
    ...APART,
  ),
  breaks(
    'src/db/trip/trip.ts',
    "for (const name of all.takeUnused()) connection.close({ type: 'S', name }, true);",
    '',
    'api/isolation',
    'keeps no statement prepared of trips that failed',
  ),
  breaks(
    'src/db/trip/connection.ts',
    'parameters: parameters.map(parameterOf) };',
    'get parameters() { return parameters.map(parameterOf); } };',
    'api/trip',
    'without a text form fails its query alone, not those that travel with it',
  ),
  breaks(
    'src/db/trip/session.ts',
    'if (!isOfStatement(error)) this.isBroken = true;',
    '',
    'fault/postgres-trip',
    'is followed by others at once',
  ),
  breaks(
    'src/db/trip/trip.ts',
    '/^(?:08|57P|25P0[345])/',
    '/^$/',
    'fault/postgres-trip',
    'is followed by others at once',
  ),
  // Together on one connection
  breaks(
    'src/db/trip/trip.ts',
    'return this.#statements.every(({ sql }) => all.isAnswered(sql));',
    'return this.#statements.every(({ sql }) => !all.isAnswered(`${sql};`));',
    'fault/embedded-trips',
    'do not need a statement that a failed one ahead of them would have prepared',
  ),
  breaks(
    'src/db/trip/trip.ts',
    'if (isOfStatement(error)) next?.ask(next.trip);',
    '',
    'fault/embedded-trips',
    'fail alone',
  ),
  breaks('src/db/trip/trip.ts', 'else next?.trip.abandon(error);', '', ...APART),
  breaks(
    'src/db/embedded/durable-fs.ts',
    'if (this.failure !== undefined || !isOfLog(stream)) this.settle();',
    '',
    'fault/embedded-durable',
    'lets no change of another file overtake the log',
  ),
  breaks(
    'src/db/embedded/durable-fs.ts',
    "node_ops: ['setattr', 'rename', 'unlink', 'rmdir']",
    'node_ops: []',
    'fault/embedded-durable',
    'lets no change of another file overtake the log',
  ),
  breaks(
    'src/db/embedded/session.ts',
    'files.settle(); // a commit',
    '// a commit',
    'fault/embedded-durable',
    'before a long answer after it begins to leave',
  ),
  // Revocation
  breaks(
    'src/auth/permission/present.ts',
    'return present === version;',
    'return true;',
    'api/present',
    'acts at once when a right is given',
  ),
  breaks(
    'src/auth/permission/present.ts',
    'return present === version;',
    'return true;',
    'api/present',
    'follows its connection',
  ),
  breaks('src/db/tenant.ts', 'svc_require_version($4, $5)', '$4::bigint, $5::text', ...TAKEN),
  breaks(
    'sql/0256_version.sql',
    "('rights', 'svc_role_principal_bind', 'tenant', 'insert or delete'",
    "('rights', 'svc_role_principal_bind', 'tenant', 'insert'",
    ...TAKEN,
  ),
  breaks(
    'sql/0256_version.sql',
    "when (old.kind in ('Grant', 'AccessToken', 'ClientCredentials', 'Client')",
    "when (old.kind in ('Grant', 'Client')",
    ...TAKEN,
  ),
  // Devices and rules that another process changed
  breaks('src/data/ingest/ingest.ts', 'requirePresent(q, at);', 'null;', ...STORED),
  breaks('sql/0256_version.sql', "('svc_device', 'delete',", "('svc_device', 'insert',", ...STORED),
  breaks('src/alarm/rule/evaluate.ts', '[requirePresent(q, at), all()]', '[all()]', ...JUDGED),
  breaks('src/alarm/rule/rule-cache.ts', 'known?.version === version', 'known', ...JUDGED),
  breaks(
    'sql/0256_version.sql',
    "('svc_rule', 'insert or delete',",
    "('svc_rule', 'delete',",
    ...JUDGED,
  ),
  // Models and budgets that another process changed
  breaks(
    'src/agentic/provider/tenant-facts.ts',
    'kept.version === versionNow(tenantId)',
    'true',
    'api/chat-kept-facts',
    'are those of the moment when a model is added, changed and removed',
  ),
  breaks(
    'sql/0256_version.sql',
    'after insert or update or delete on svc_chat_budget',
    'after delete on svc_chat_budget',
    'api/chat-kept-facts',
    'are those of the moment when a budget is set and removed',
  ),
];

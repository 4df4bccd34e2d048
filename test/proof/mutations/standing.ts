import { breaks, type Mutation } from './mutation.ts';

/** Hang-ups, outages, silence, readiness and dead letters. */
export const standing: readonly Mutation[] = [
  breaks(
    'src/gateway/upstream.ts',
    '        underWay -= 1;\n',
    '',
    'fault/hangup',
    'keeps nothing under way of them',
  ),
  breaks(
    'src/mcp/endpoint.ts',
    'if (response.closed) app.log.debug',
    'if (response.headersSent) app.log.debug',
    'fault/hangup',
    'goes on, at every door and within 20 ms, and says nothing about it',
  ),
  breaks(
    'src/db/unavailable.ts',
    '|25006|',
    '|25999|',
    'fault/read-only',
    'loses no value, answers 503, is not ready',
  ),
  breaks(
    'src/gateway/health.ts',
    'res.status(isReady ? 200 : 503)',
    'res.status(200)',
    'fault/read-only',
    'loses no value, answers 503, is not ready',
  ),
  breaks(
    'src/manager/driver/listening.ts',
    ', ...(hadBreak ? { sinceTime: at } : {})',
    '',
    'fault/silence',
    'takes what it could not hear for no silence',
  ),
  breaks(
    'src/bus/patience.ts',
    'failures >= (retries ? MAX_ATTEMPTS : 1)',
    'failures >= 1',
    'contract/bus',
    'tries a failing handler again',
  ),
  breaks(
    'src/data/dead-letter/dead-letter.ts',
    '  await onlyPlatform(app, caller);\n  const { letters',
    '  const { letters',
    'api/dead-letter',
    'shown to the platform tenant only',
  ),
  breaks(
    'src/core/log/outage-log.ts',
    'return last !== undefined && now - last < OVER_MS;',
    'return false;',
    'unit/outage-log',
    'has one line for all that misses the same part',
  ),
  breaks(
    'src/db/connect.ts',
    '      await demandOwnSessions(owner, probe);\n',
    '',
    'fault/postgres-pooler',
    'is refused, with what the pooler must be',
  ),
  breaks(
    'src/db/server-session.ts',
    '  role: APP_ROLE,\n',
    '',
    'fault/postgres-pooler',
    'works, with its role and its limits',
  ),
];

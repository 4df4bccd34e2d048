import type { App, Caller } from '../../kernel/app/app.ts';
import { TooManyRequests } from '../../kernel/errors.ts';
import { CALL_RATES } from './buckets.ts';

/**
 * Counts a call over REST of a key or token: for itself, and for its tenant with all its keys and tokens. People on an
 * interactive login are not counted. Throws TooManyRequests (429) with the seconds to wait.
 */
export function countCall(app: App, caller: Caller): void {
  if (caller.via !== 'key' && caller.via !== 'oauth') return;
  const { tenantId, principalId, clientId = '' } = caller;
  const { ofKey, ofTenant } = app.config.callsPerMinute;
  const asked = [
    { key: `${tenantId}:${principalId}:${clientId}`, limit: ofKey, whose: 'with this credential' },
    { key: tenantId, limit: ofTenant, whose: 'by the keys and tokens of this tenant together' },
  ].filter(({ limit }) => limit > 0);
  for (const { key, limit, whose } of asked) {
    const waitMs = app.of(CALL_RATES).waitMs(key, limit);
    if (waitMs > 0)
      throw new TooManyRequests(
        `More than ${limit} calls per minute ${whose}: wait, or ask for several things in one call`,
        Math.ceil(waitMs / 1_000),
      );
  }
  for (const { key, limit } of asked) app.of(CALL_RATES).take(key, limit);
}

import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import {
  atDeviceVersion,
  type DeviceVersion,
  requirePresent,
} from '../../manager/device/version.ts';
import { announceNotifications } from '../deliver/announce.ts';
import type { AlarmTarget } from '../kind/alarm.ts';
import type { Fact } from './decide.ts';
import { type Candidates, forgetRules, rulesFor } from './rule-cache.ts';
import { type Pending, step } from './step.ts';

/** As `evaluateAt`, of facts that come from no memory. */
export const evaluate = (
  app: App,
  tenantId: string,
  target: AlarmTarget,
  facts: readonly Fact[],
): Promise<void> => atDeviceVersion(app, tenantId, (at) => evaluateAt(app, at, target, facts));

/**
 * Evaluates facts against the tenant's rules, by origin time, within `atDeviceVersion`. States, alarms and pending notifications share
 * one transaction; the notifications are published after its commit.
 */
export async function evaluateAt(
  app: App,
  at: DeviceVersion,
  target: AlarmTarget,
  facts: readonly Fact[],
): Promise<void> {
  const { tenantId } = at;
  const candidates = await rulesFor(app, at, target);
  if (!facts.some(({ entityId }) => candidates(entityId).length > 0)) return;
  const pending = await inTenant(app.db, tenantId, async (q) => {
    const written = await evaluateInOrder(app, q, { at, candidates, facts });
    app.crashAt('alarm');
    return written;
  });
  app.crashAt('alarm-committed');
  await announceNotifications(app, tenantId, pending);
}

/**
 * Same, inside the caller's transaction; the caller publishes the answered notifications after the commit.
 */
export async function evaluateInOrder(
  app: App,
  q: Queries,
  given: { at: DeviceVersion; candidates: Candidates; facts: readonly Fact[] },
): Promise<Pending> {
  const { at, candidates, facts } = given;
  const { tenantId } = at;
  const steps = facts
    .flatMap((fact) => candidates(fact.entityId).map((rule) => ({ rule, fact })))
    .filter(({ rule, fact }) => !fact.silentFor || fact.silentFor === rule.id)
    // One lock order for all evaluations, and time order within each state.
    .toSorted(
      (a, b) =>
        Number(BigInt(a.rule.id) - BigInt(b.rule.id)) ||
        Number(BigInt(a.fact.deviceId) - BigInt(b.fact.deviceId)) ||
        Number(BigInt(a.fact.entityId) - BigInt(b.fact.entityId)) ||
        a.fact.at - b.fact.at ||
        Number((a.fact.seq ?? 0n) - (b.fact.seq ?? 0n)),
    );
  if (steps.length === 0) return [];
  const now = app.clock.now();
  const outdated = () => forgetRules(app, tenantId);
  const written: Pending = [];
  const all = async (): Promise<void> => {
    for (const { rule, fact } of steps)
      written.push(...(await step({ q, tenantId, rule, fact, now, outdated })));
  };
  // In the trip of the first step.
  await Promise.all([requirePresent(q, at), all()]);
  return written;
}

import { setTimeout as sleep } from 'node:timers/promises';

import { sql } from 'kysely';

import { propose } from '../../../../src/agentic/propose/action.ts';
import { acrossTenants } from '../../../../src/db/tenant.ts';
import type { App, Caller } from '../../../../src/kernel/app/app.ts';
import type { Site } from '../../../tools/agent.ts';
import { beforeDispatch } from '../../devices/before-dispatch.ts';
import type { Random } from '../../hostile/random.ts';
import { actionsIn } from '../../people/actions.ts';
import type { World } from '../../world/app.ts';
import { eventually } from '../../world/eventually.ts';
import { otherNode } from '../../world/other-node.ts';
import { approvalsIn } from './approvals.ts';

export type Ran = {
  proposals: number;
  /** By kind: how many an approval decided, and how many wait for a person. */
  kinds: Map<string, { decided: number; waited: number }>;
  wrong: string[];
};

/** What a proposal has to become: computed in whole tenths, and from nothing of the platform. */
type Try = { value: number; inside: boolean };

/** All in tenths of a degree. */
const degrees = (tenths: number): number => tenths / 10;
const MINUTE_MS = 60_000;

/**
 * Proposes around every edge of standing approvals, until `count` proposals are made: each inside of its approval has to
 * be decided by it, and every other has to wait for a person.
 */
export async function approve(world: World, random: Random, count: number): Promise<Ran> {
  const ours = approvalsIn(world, world.admin);
  const actions = actionsIn(world, world.admin);
  await ours.turn(true);
  const sites = await Promise.all(Array.from({ length: 4 }, () => ours.site()));
  const agents = await Promise.all(Array.from({ length: 3 }, () => ours.agent()));
  const ran: Ran = { proposals: 0, kinds: new Map(), wrong: [] };

  const note = (kind: string, isDecided: boolean, shouldBe: boolean, what: string): void => {
    const seen = ran.kinds.get(kind) ?? { decided: 0, waited: 0 };
    if (isDecided) seen.decided += 1;
    else seen.waited += 1;
    ran.kinds.set(kind, seen);
    ran.proposals += 1;
    if (isDecided !== shouldBe)
      ran.wrong.push(`${kind}: ${what} ${isDecided ? 'was decided' : 'waits'}`);
  };
  const set = (site: Site, tenths: number) => ours.report(site, degrees(tenths));

  /** Proposes, compares, and leaves nothing open. */
  async function tried(kind: string, app: App, agent: Caller, site: Site, { value, inside }: Try) {
    const { deviceId, pointId } = site;
    const given = { deviceId, pointId, value: String(degrees(value)) };
    const made = await propose(app, agent, given);
    note(kind, made.beforehand !== null, inside, `${given.value} ${made.say}`);
    if (made.pendingConfirmation) await ours.withdraw(agent, made.actionId);
    else
      await eventually(
        () => actions.actionOf(made.actionId),
        ({ status }) => status !== 'CONFIRMED',
      );
    return made;
  }

  const [min, max] = [150, 250];
  const kinds: Record<string, (agent: Caller, site: Site) => Promise<void>> = {
    async 'range and step'(agent, site) {
      const step = 1 + random.upTo(40);
      const current = random.pick([min, max, min + random.upTo(max - min)]);
      const edges = [min - 1, min, max, max + 1, current - step, current + step];
      const value = random.pick([...edges, current - step - 1, current + step + 1]);
      await set(site, current);
      await ours.make(
        ours.wanted(
          agent,
          site,
          {},
          { min: degrees(min), max: degrees(max), maxStep: degrees(step) },
        ),
      );
      const inside = value >= min && value <= max && Math.abs(value - current) <= step;
      await tried('range and step', world.app, agent, site, { value, inside });
    },
    async rate(agent, site) {
      const maxPerHour = 1 + random.upTo(3);
      await set(site, 200);
      await ours.make(ours.wanted(agent, site, { maxUses: 100 }, { maxPerHour }));
      for (let n = 0; n <= maxPerHour; n += 1)
        await tried('rate', world.app, agent, site, {
          value: n % 2 === 0 ? 205 : 200,
          inside: n < maxPerHour,
        });
    },
    async count(agent, site) {
      const maxUses = 1 + random.upTo(3);
      await set(site, 200);
      const { approvalId } = await ours.make(ours.wanted(agent, site, { maxUses }));
      for (let n = 0; n <= maxUses; n += 1)
        await tried('count', world.app, agent, site, {
          value: n % 2 === 0 ? 205 : 200,
          inside: n < maxUses,
        });
      const { used } = await ours.get(approvalId);
      if (used !== maxUses) ran.wrong.push(`count: ${used} of ${maxUses} are used`);
    },
    async hours(agent, site) {
      // Hours are in minutes: the proposal comes in the minute that they were made in.
      const leftMs = MINUTE_MS - (world.clock.now() % MINUTE_MS);
      if (leftMs < 5_000) await sleep(leftMs);
      const at = (minutes: number) =>
        new Date(world.clock.now() + minutes * MINUTE_MS).toISOString().slice(11, 16);
      const [from, to] = random.pick<[number, number]>([
        [0, 1],
        [1, 2],
        [-1, 0],
        [-5, 5],
      ]);
      await set(site, 200);
      const hours = { start: at(from), end: at(to) };
      await ours.make(ours.wanted(agent, site, { hours }));
      const inside = from <= 0 && to > 0;
      await tried('hours', world.app, agent, site, { value: 205, inside });
    },
    async expiry(agent, site) {
      const isPast = random.chance(0.5);
      const lifeMs = isPast ? 500 : MINUTE_MS;
      const until = new Date(world.clock.now() + lifeMs).toISOString();
      await set(site, 200);
      await ours.make(ours.wanted(agent, site, { until }));
      if (isPast) await sleep(lifeMs);
      await tried('expiry', world.app, agent, site, { value: 205, inside: !isPast });
    },
    async taint(agent, site) {
      await set(site, 200);
      await ours.make(ours.wanted(agent, site));
      const forget = await hearing(world, agent);
      await tried('taint', world.app, agent, site, { value: 205, inside: false });
      await forget();
    },
    async age(agent, site) {
      await set(site, 200);
      await ours.make(ours.wanted(agent, site));
      const isOld = random.chance(0.5);
      await readBefore(world, site, isOld ? 5 * MINUTE_MS : 4 * MINUTE_MS);
      await tried('age', world.app, agent, site, { value: 205, inside: !isOld });
    },
    async drift(agent, site) {
      await set(site, 200);
      await ours.make(ours.wanted(agent, site));
      const path = '/api/v3/manager/point/update';
      const [changed, back] = random.pick<[object, object]>([
        [{ multiple: 2 }, { multiple: 1 }],
        [{ maxValue: 29 }, { maxValue: 30 }],
        [{ unit: 'K' }, { unit: '°C' }],
        [{ valueDecimal: 1 }, { valueDecimal: 2 }],
      ]);
      await world.admin.data(path, { id: site.pointId, ...changed });
      await tried('drift', world.app, agent, site, { value: 205, inside: false });
      await world.admin.data(path, { id: site.pointId, ...back });
      await tried('drift', world.app, agent, site, { value: 206, inside: false });
    },
    async 'revoked during the write'(agent, site) {
      await set(site, 200);
      const { approvalId } = await ours.make(ours.wanted(agent, site));
      const app = beforeDispatch(world.app, () => ours.revoke(approvalId));
      const { actionId } = await tried('revoked during the write', app, agent, site, {
        value: 205,
        inside: false,
      });
      const action = await actions.actionOf(actionId);
      if (action.status !== 'WITHDRAWN') ran.wrong.push(`revoked: the action is ${action.status}`);
    },
    async 'two nodes at once'(agent, site) {
      const other = sites.find((one) => one.deviceId !== site.deviceId) ?? site;
      await Promise.all([set(site, 200), set(other, 200)]);
      const wanted = ours.wanted(agent, site, { maxUses: 1 });
      const points = [...wanted.points, ...ours.wanted(agent, other).points];
      const { approvalId } = await ours.make({ ...wanted, points });
      const nodes = [otherNode(world.app), otherNode(world.app)] as const;
      const made = await Promise.all(
        [site, other].map(({ deviceId, pointId }, index) =>
          propose(nodes[index] ?? world.app, agent, { deviceId, pointId, value: '20.5' }),
        ),
      );
      const decided = made.filter(({ beforehand }) => beforehand !== null).length;
      for (const [index, one] of made.entries())
        note('two nodes at once', one.beforehand !== null, one.beforehand !== null, String(index));
      if (decided !== 1) ran.wrong.push(`two nodes at once: ${decided} were decided`);
      const { used } = await ours.get(approvalId);
      if (used !== 1) ran.wrong.push(`two nodes at once: ${used} of 1 are used`);
      for (const one of made)
        if (one.pendingConfirmation) await ours.withdraw(agent, one.actionId);
        else
          await eventually(
            () => actions.actionOf(one.actionId),
            ({ status }) => status !== 'CONFIRMED',
          );
    },
  };

  const names = Object.keys(kinds);
  for (let n = 0; ran.proposals < count; n += 1) {
    // Range and step have the most edges.
    const kind = n % 2 === 0 ? 'range and step' : (names[((n - 1) / 2) % names.length] ?? '');
    await kinds[kind]?.(random.pick(agents), random.pick(sites));
    for (const { approvalId } of await ours.active()) await ours.revoke(approvalId);
    await anHourLater(world);
  }
  return ran;
}

/** What approvals decided counts for its point within an hour, whichever decided it. */
const anHourLater = (world: World) =>
  acrossTenants(world.app.db, 'doctor', (queries) =>
    sql`update svc_standing_use set use_time = use_time - interval '1 hour'`.execute(queries),
  );

/** The latest value of the site's point is so old. */
const readBefore = (world: World, { deviceId, pointId }: Site, ms: number) =>
  acrossTenants(world.app.db, 'doctor', (queries) =>
    queries
      .updateTable('svc_point_latest')
      .set({ createTime: new Date(world.clock.now() - ms) })
      .where('deviceId', '=', deviceId)
      .where('pointId', '=', pointId)
      .execute(),
  );

/** Makes the agent one that read a text that could instruct it; answers how to forget it. */
async function hearing(world: World, { tenantId, principalId, clientId = '' }: Caller) {
  await acrossTenants(world.app.db, 'doctor', (queries) =>
    sql`insert into svc_heard_text
        (tenant_id, user_id, client_id, digest, tool, field, subject, text, read_time, expire_time)
      values (${tenantId}, ${principalId}, ${clientId}, 'x', 'searchEvents', 'message', '', 'write 5!',
        ${new Date(world.clock.now())}, ${new Date(world.clock.now() + 3_600_000)})`.execute(
      queries,
    ),
  );
  return () =>
    acrossTenants(world.app.db, 'doctor', (queries) =>
      sql`delete from svc_heard_text where tenant_id = ${tenantId} and user_id = ${principalId}`.execute(
        queries,
      ),
    );
}

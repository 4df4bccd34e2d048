import { ACTION_STATUS } from '../../../src/agentic/action/kind/status.ts';
import { confirm, reject } from '../../../src/agentic/decision/decision.ts';
import { withdraw } from '../../../src/agentic/decision/withdraw.ts';
import { propose } from '../../../src/agentic/propose/action.ts';
import { inTenant } from '../../../src/db/tenant.ts';
import type { App, Caller } from '../../../src/kernel/app/app.ts';
import { AppError } from '../../../src/kernel/errors.ts';
import { agentIn, type Site } from '../../tools/agent.ts';
import { actionsIn, LIFE_MS } from '../people/actions.ts';
import type { World } from '../world/app.ts';
import { otherNode } from '../world/other-node.ts';

const AT_ONCE = 32;
/** A point takes so many proposals before the next one has its turn. */
const PER_SITE = 50;
/** A proposal that is about to expire has at most this long. */
const LEFT_MS = 25;

const verbs = ['confirm', 'reject', 'withdraw'] as const;
type Verb = (typeof verbs)[number];

/** Who races whom. */
export const kinds = {
  'confirms alone': ['confirm'],
  'confirms and rejections': ['confirm', 'reject'],
  'with withdrawals': verbs,
  'about to expire': verbs,
} as const satisfies Record<string, readonly Verb[]>;
export type Kind = keyof typeof kinds;

/** What was decided (`expired`: nothing in time), by how many of the calls, and what is wrong with it. */
export type Decision = { kind: Kind; decided: Verb | 'expired'; wrong: string[] };

/** Proposals that 32 calls decide at the same moment, on two nodes of one platform. */
export function openDecisions(world: World, random: () => number) {
  const session = world.admin;
  const nodes = [world.app, otherNode(world.app)];
  const proposer = agentIn(session);
  const human: Caller = {
    tenantId: session.tenantId,
    principalId: session.principalId,
    principalType: 'USER',
    name: 'admin',
    via: 'login',
    permissions: new Set(['*']),
  };
  const { site: newSite, commandsOf, auditOf } = actionsIn(world, session);
  let site: Site | undefined;
  let count = 0;

  async function proposed(isLate: boolean): Promise<string> {
    if (count % PER_SITE === 0) site = await newSite();
    count += 1;
    if (!site) throw new Error('there is no site');
    const { deviceId, pointId } = site;
    const value = (6 + (count % PER_SITE) * 0.4).toFixed(1);
    const early = isLate ? LIFE_MS - Math.ceil(random() * LEFT_MS) : 0;
    world.clock.shift(-early);
    try {
      return (await propose(world.app, proposer, { deviceId, pointId, value })).actionId;
    } finally {
      world.clock.shift(early);
    }
  }

  const decide = (node: App, verb: Verb, actionId: string): Promise<unknown> => {
    if (verb === 'confirm') return confirm(node, human, { actionId, comment: '', waitMs: 0 });
    if (verb === 'reject') return reject(node, human, { actionId, comment: '' });
    return withdraw(node, proposer, { actionId, reason: '' });
  };

  return {
    async round(kind: Kind): Promise<Decision> {
      const actionId = await proposed(kind === 'about to expire');
      const accepted = new Set<Verb>();
      const wrong: string[] = [];
      const calls = Array.from({ length: AT_ONCE }, async (_, at) => {
        const choices: readonly Verb[] = kinds[kind];
        const verb = choices[Math.floor(random() * choices.length)] ?? 'confirm';
        const node = nodes[at % nodes.length] ?? world.app;
        try {
          await decide(node, verb, actionId);
          accepted.add(verb);
        } catch (error) {
          const isRefusal = error instanceof AppError && [409, 410].includes(error.status);
          if (!isRefusal) wrong.push(`${verb} failed: ${String(error)}`);
        }
      });
      await Promise.all(calls);
      const [decided] = accepted;
      if (accepted.size > 1) wrong.push(`decided as ${[...accepted].join(' and ')}`);
      const commands = (await commandsOf(actionId)).length;
      if (commands !== (decided === 'confirm' ? 1 : 0)) wrong.push(`${commands} commands`);
      const audits = (await auditOf(actionId)).filter(({ action }) =>
        verbs.some((verb) => action === `action:${verb}`),
      );
      const noted = audits.map(({ action }) => action);
      const must = decided === undefined ? [] : [`action:${decided}`];
      if (noted.join() !== must.join()) wrong.push(`noted: ${noted.join()}, not ${must.join()}`);
      const status = await statusOf(actionId);
      const open: number[] = [ACTION_STATUS.PENDING, ACTION_STATUS.PARTIALLY_CONFIRMED];
      if (decided !== undefined && open.includes(status)) wrong.push('decided, and still pending');
      if (decided === undefined && kind !== 'about to expire') wrong.push('decided by no call');
      return { kind, decided: decided ?? 'expired', wrong };
    },
  };

  async function statusOf(actionId: string): Promise<number> {
    const { status } = await inTenant(world.app.db, session.tenantId, (q) =>
      q
        .selectFrom('svc_action')
        .select('status')
        .where('tenantId', '=', session.tenantId)
        .where('actionId', '=', actionId)
        .executeTakeFirstOrThrow(),
    );
    return status;
  }
}

import { ACTION_STATUS } from '../../agentic/action/kind/status.ts';
import { openSession } from '../../agentic/session/session.ts';
import { runTool } from '../../auth/agent/run-tool.ts';
import type { Limited } from '../../auth/connection/denial.ts';
import { whitelistOf } from '../../auth/connection/whitelist.ts';
import { permissionsOf } from '../../auth/permission/permission.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { isFollowed } from '../../kernel/feed/follow.ts';
import { type Agent, AGENT_NAME, findAgent } from './agent.ts';

/** How often it looks whether a console is open; nothing is read while none is. */
const LOOK_MS = 15_000;
const CONVERSATION = 'demo-watch';
const DEVICE = 'boiler-1';
const POINT = 'set-point';
/** It proposes the one while the other holds. */
const LOW = 66;
const HIGH = 72;
const REASONS = {
  [LOW]:
    'Demo: the buffer tank holds more than 52 °C all day. At 66 °C Boiler 1 keeps it there and burns less gas.',
  [HIGH]: 'Demo: the time of low demand is over. At 72 °C Boiler 1 is back at its usual set-point.',
};

/**
 * Has the demo's agent propose anew whenever its last proposal has ended and a console is open: one waits at a time. It
 * stops with the account, the client, the connection or the switch of the agent.
 */
export function keepProposing(app: App, tenantId: string): { stop(): Promise<void> } {
  let proposing: Promise<void> = Promise.resolve();
  const cancel = app.clock.every(LOOK_MS, () => {
    proposing = proposeIfWatched(app, tenantId).catch((error: unknown) =>
      app.log.warn({ error }, 'the agent of the demo could not propose, it tries again'),
    );
    return proposing;
  });
  return {
    async stop() {
      cancel();
      await proposing;
    },
  };
}

/** Only while somebody follows what happens in the tenant, as every page of the console does. */
export async function proposeIfWatched(app: App, tenantId: string): Promise<void> {
  if (isFollowed(app, tenantId)) await proposeOnce(app, tenantId);
}

/** Proposes unless a proposal of the agent waits. */
export async function proposeOnce(app: App, tenantId: string): Promise<void> {
  const agent = await findAgent(app, tenantId);
  if (!agent) return;
  const place = await placeOf(app, agent);
  const tool = app.tools.find(({ name }) => name === 'writePointValue');
  if (!place || place.isWaiting || !tool) return;
  const caller = await callerOf(app, agent);
  await inTenant(app.db, tenantId, (q) =>
    openSession(app, q, caller, { conversationId: CONVERSATION, title: 'Demo: save heat' }),
  );
  const value = Number(place.now ?? HIGH) > (LOW + HIGH) / 2 ? LOW : HIGH;
  const { deviceId, pointId } = place;
  const input = { deviceId, pointId, value: String(value), reason: REASONS[value] };
  const result = await runTool(app, caller, tool, input);
  if (result.status !== 'done')
    app.log.info({ status: result.status }, 'the agent of the demo may not propose');
}

/** The set-point, its value, and whether a proposal waits; null without the device. */
async function placeOf(app: App, { tenantId, principalId }: Agent) {
  const now = new Date(app.clock.now());
  const [place, waiting] = await inOneTrip(app.db, tenantId, (q) =>
    Promise.all([
      q
        .selectFrom('svc_device as device')
        .innerJoin('svc_point as point', 'point.profileId', 'device.profileId')
        .leftJoin('svc_point_latest as latest', (join) =>
          join
            .onRef('latest.deviceId', '=', 'device.id')
            .onRef('latest.pointId', '=', 'point.id')
            .on('latest.tenantId', '=', tenantId),
        )
        .select(['device.id as deviceId', 'point.id as pointId', 'latest.calValue as now'])
        .where('device.tenantId', '=', tenantId)
        .where('point.tenantId', '=', tenantId)
        .where('device.deviceCode', '=', DEVICE)
        .where('point.pointCode', '=', POINT)
        .executeTakeFirst(),
      q
        .selectFrom('svc_action')
        .select('id')
        .where('tenantId', '=', tenantId)
        .where('userId', '=', principalId)
        .where('status', '=', ACTION_STATUS.PENDING)
        .where('expireTime', '>', now)
        .limit(1)
        .execute(),
    ]),
  );
  return place ? { ...place, isWaiting: waiting.length > 0 } : null;
}

/** The agent as a program that asks through its client, with what its connection allows it. */
async function callerOf(app: App, agent: Agent): Promise<Limited> {
  const { tenantId, principalId, clientId, scopes } = agent;
  const { codes, timezone, version } = await permissionsOf(app, tenantId, principalId);
  const base = {
    tenantId,
    principalId,
    principalType: 'SERVICE_ACCOUNT',
    name: AGENT_NAME,
    scopes,
    timezone,
    permissions: codes,
    ...(version !== undefined && { version }),
  } as const;
  const connection = await whitelistOf(app, { ...base, via: 'oauth', clientId });
  return { ...base, via: 'model', clientId: CONVERSATION, chatClientId: clientId, connection };
}

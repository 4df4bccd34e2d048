import { beforeAll, describe, expect, it } from 'vitest';

import type { AlarmAsk } from '../../src/agentic/proposal/alarm-maker.ts';
import { kinds } from '../../src/agentic/proposal/kinds.ts';
import { propose } from '../../src/agentic/propose/action.ts';
import { RuleExt } from '../../src/alarm/kind/rule-ext.ts';
import { signPrincipal } from '../../src/auth/credential/trust.ts';
import { inTenant } from '../../src/db/tenant.ts';
import type { Caller } from '../../src/kernel/app/app.ts';
import { onboard } from '../support/devices/plant.ts';
import { watched } from '../support/devices/watched.ts';
import { lwm2mDevice } from '../support/lwm2m/device.ts';
import { firmwareAgent, firmwareIn } from '../support/lwm2m/firmware-actions.ts';
import { waitingEndpoint } from '../support/lwm2m/waiting.ts';
import { ACTIONS, actionsIn } from '../support/people/actions.ts';
import { type Program, programFor, tokenFor } from '../support/people/bearer.ts';
import { request, type Session } from '../support/people/session.ts';
import { APPROVALS, approvalsIn } from '../support/runs/approvals/approvals.ts';
import { type Credential, credentials } from '../support/runs/forged/credentials.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

/** A waiting action, and the credential that asked for it. */
type Waiting = { actionId: string; digest: string; own: Credential };

const SCOPE = 'svc:read svc:propose';
/** What says that a credential may not: nothing else that went wrong counts as a refusal. */
const REFUSED = [401, 403, 404];

let all: Credential[];
let waiting: Record<string, Waiting>;
let approval: object;
let before: unknown;
const world = startedWorld();
beforeAll(async () => {
  const { admin, app } = world;
  const ours = approvalsIn(world, admin);
  const program = await programFor(admin, { scope: SCOPE });
  const agent = callerOf(admin, program);
  const scoped = { scope: SCOPE, audience: 'api' } as const;
  const own = ownOf(await tokenFor(admin.base, program.authorization, scoped));
  const plants = [await onboard(admin), await onboard(admin), await onboard(admin)];
  const [first, ...others] = plants.map(({ deviceId, target }) => ({
    deviceId,
    pointId: target,
    value: '21',
  }));
  if (!first) throw new Error('there is no plant');
  const fw = firmwareIn(world);
  const [device, pack] = [await fw.device(), await fw.package()];
  const { post, token } = await firmwareAgent(admin);
  const asked = { packageId: pack.id, deviceIds: [device.deviceId] };
  const { deviceId: keyed } = await lwm2mDevice(admin, {});
  const waitingId = await waitingEndpoint(world, admin, keyed);
  waiting = {
    write: { ...(await propose(app, agent, first)), own },
    plan: { ...(await propose(app, agent, { writes: others })), own },
    firmware: { ...(await fw.proposed(asked, post)), own: ownOf(token) },
    ...(await ofAlarms(agent, own)),
    onboarding: { ...(await propose(app, agent, { onboarding: { waitingId } })), own },
  };
  before = await storedAtOnce();
  await ours.turn(true);
  const wanted = ours.wanted(agent, first);
  approval = { ...wanted, digest: (await ours.shown(wanted)).digest };
  all = [
    ...(await credentials(world, program.token)),
    await administrating(admin),
    signed('principal of a person as the platform signs it', {
      ...agent,
      principalType: 'USER',
      via: 'login',
      name: 'admin',
    }),
  ];
  // Otherwise that is what refuses the login of another tenant.
  const other = all.find(({ kind }) => kind === 'login of another tenant');
  const { status } = await request(admin.base, 'POST', `${APPROVALS}/switch/set`, {
    body: { on: true },
    headers: other?.headers ?? {},
  });
  expect(status).toBe(200);
});

const headersOf = (token: string) => ({ authorization: `Bearer ${token}` });
const ownOf = (token: string): Credential => ({
  kind: 'API token of the proposer',
  headers: headersOf(token),
});

/** One of each kind about alarms. */
async function ofAlarms(agent: Caller, own: Credential): Promise<Record<string, Waiting>> {
  const { admin, app } = world;
  const { site, ruleId: fired, measure } = await watched(world, admin, 'kiln');
  // Its change ends what it raised, so it is another one.
  const { ruleId } = await watched(world, admin, 'oven');
  await measure(81);
  const [rule, alarm] = await inTenant(app.db, admin.tenantId, (q) =>
    Promise.all([
      q.selectFrom('svc_rule').selectAll().where('id', '=', ruleId).executeTakeFirstOrThrow(),
      q
        .selectFrom('svc_entity_alarm')
        .select('id')
        .where('ruleId', '=', fired)
        .executeTakeFirstOrThrow(),
    ]),
  );
  const { content } = RuleExt.parse(rule.ruleExt);
  const basis = rule.operateTime.toISOString();
  const { pointId } = site;
  const asked: Record<string, AlarmAsk> = {
    rule: {
      does: 'ADD_RULE',
      ruleName: 'x',
      pointId,
      deviceId: '',
      notifyId: '0',
      content,
      backtest: null,
    },
    rule_change: {
      does: 'CHANGE_RULE',
      ruleId,
      basis,
      content: { ...content, severity: 'P3' },
      backtest: null,
    },
    silence: { does: 'SILENCE', alarmId: alarm.id, hours: 1 },
    confirmation: { does: 'CONFIRM', alarmIds: [alarm.id] },
    maintenance: {
      does: 'MAINTENANCE',
      maintenanceName: 'belt',
      scope: 'PLANT',
      entityIds: [],
      mode: 'MUTE',
      begin: null,
      end: new Date(world.clock.now() + 3_600_000).toISOString(),
    },
  };
  const found: Record<string, Waiting> = {};
  for (const [kind, one] of Object.entries(asked))
    found[kind] = { ...(await propose(app, agent, { alarm: one })), own };
  return found;
}

function callerOf({ tenantId }: Session, { principalId, clientId }: Program): Caller {
  return {
    tenantId,
    principalId,
    principalType: 'SERVICE_ACCOUNT',
    name: fresh('agent'),
    via: 'oauth',
    clientId,
    scopes: ['svc:propose'],
    permissions: new Set(['*']),
  };
}

/** The header by which the gateway vouches for a caller to a center, from outside. */
function signed(kind: string, caller: Caller): Credential {
  const { principal, sign } = signPrincipal(world.app, caller);
  const headers = { 'x-auth-principal': principal, ...(sign !== null && { 'x-auth-sign': sign }) };
  return { kind, headers };
}

/** Of a service account that has every right of the tenant: its credential is what keeps it from deciding. */
async function administrating(admin: Session): Promise<Credential> {
  const { token } = await programFor(admin, { scope: SCOPE, roleCode: 'admin', audience: 'api' });
  return { kind: 'API token of an administrating program', headers: headersOf(token) };
}

const decisions: Record<string, (waits: Waiting) => [string, object]> = {
  confirm: ({ actionId, digest }) => [`${ACTIONS}/confirm`, { actionId, digest }],
  'confirm without a digest': ({ actionId }) => [`${ACTIONS}/confirm`, { actionId }],
  reject: ({ actionId }) => [`${ACTIONS}/reject`, { actionId }],
  withdraw: ({ actionId }) => [`${ACTIONS}/withdraw`, { actionId }],
  'approve beforehand': () => [`${APPROVALS}/add`, approval],
};

/** Those that are done at once. Where a credential is in a request is the same for every kind, and is tried with the others. */
const DONE_AT_ONCE = [
  'rule',
  'rule_change',
  'silence',
  'confirmation',
  'maintenance',
  'onboarding',
];
const everyKind = Object.keys(kinds);

const matrix = everyKind.flatMap((kind) =>
  Object.keys(decisions).map((decision): [string, string] => [decision, kind]),
);
/** Requests at the same time. */
const AT_ONCE = 8;

describe('no credential that an agent can hold', () => {
  it.each(matrix)('may %s: %s', async (decision, kind) => {
    const waits = waiting[kind];
    const made = decisions[decision];
    if (!waits || !made) throw new Error(`nothing of the kind ${kind} waits`);
    const passed: string[] = [];
    // One may withdraw what one asked for.
    const tried = decision === 'withdraw' ? all : [...all, waits.own];
    const requests = tried.flatMap((credential) => waysOf(credential, kind));
    const [path, body] = made(waits);
    await eachOf(requests, async ({ said, query, sent }) => {
      const response = await fetch(`${world.base}${path}${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...sent },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(30_000),
      });
      await response.arrayBuffer();
      if (!REFUSED.includes(response.status)) passed.push(`${said}: ${response.status}`);
    });
    expect(passed).toEqual([]);
    expect(await stateOf(waits.actionId)).toEqual({
      status: 'PENDING',
      digest: waits.digest,
      effects: 0,
      approvals: 0,
      atOnce: before,
    });
  });
});

describe('a login of the tenant that may decide', () => {
  it.each(everyKind)('confirms the same with the same request: %s', async (kind) => {
    const waits = waiting[kind];
    if (!waits) throw new Error(`nothing of the kind ${kind} waits`);
    const { actionId, digest } = waits;
    const { status } = await world.admin.post(`${ACTIONS}/confirm`, { actionId, digest });
    expect(status).toBe(200);
  });

  it('approves the same beforehand with the same request', async () => {
    expect((await world.admin.post(`${APPROVALS}/add`, approval)).status).toBe(200);
  });
});

type Way = { said: string; query: string; sent: Record<string, string> };

function waysOf({ kind: said, headers }: Credential, kind: string): Way[] {
  const inHeader = { said, query: '', sent: headers };
  if (DONE_AT_ONCE.includes(kind)) return [inHeader];
  const [, raw = 'x'] = /^Bearer (.+)$/.exec(headers['authorization'] ?? '') ?? [];
  const inQuery = new URLSearchParams({ token: raw, access_token: raw, ...headers });
  const query = `?${inQuery.toString()}`;
  return [
    inHeader,
    // Beside the header and without it.
    { said: `${said} in a query`, query, sent: headers },
    { said: `${said} in a query`, query, sent: {} },
  ];
}

async function eachOf<T>(requests: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...requests];
  const worker = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** What a decision about those would change. */
function storedAtOnce() {
  const { tenantId } = world.admin;
  return inTenant(world.app.db, tenantId, (q) =>
    Promise.all([
      q.selectFrom('svc_rule').select(['id', 'operateTime']).orderBy('id').execute(),
      q.selectFrom('svc_rule_state').select(['id', 'silencedUntil']).orderBy('id').execute(),
      q.selectFrom('svc_entity_alarm').select(['id', 'confirmFlag']).orderBy('id').execute(),
      q.selectFrom('svc_maintenance').select(['id', 'operateTime']).orderBy('id').execute(),
      q.selectFrom('svc_waiting_endpoint').select('id').orderBy('id').execute(),
    ]),
  );
}

async function stateOf(actionId: string) {
  const { tenantId } = world.admin;
  const { status, digest } = await actionsIn(world, world.admin).actionOf(actionId);
  const effects = await inTenant(world.app.db, tenantId, async (q) => {
    const counts = await Promise.all(
      (['svc_point_command_history', 'svc_firmware_rollout'] as const).map((table) =>
        q
          .selectFrom(table)
          .select('actionId')
          .where('tenantId', '=', tenantId)
          .where('actionId', '=', actionId)
          .execute(),
      ),
    );
    return counts.flat().length;
  });
  const approvals = (await approvalsIn(world, world.admin).active()).length;
  return { status, digest, effects, approvals, atOnce: await storedAtOnce() };
}

import { isDeepStrictEqual } from 'node:util';

import { z } from 'zod';

import { confirm, reject } from '../../../../src/agentic/decision/decision.ts';
import { withdraw } from '../../../../src/agentic/decision/withdraw.ts';
import { propose } from '../../../../src/agentic/propose/action.ts';
import { inTenant } from '../../../../src/db/tenant.ts';
import type { Caller } from '../../../../src/kernel/app/app.ts';
import { AppError, Gone } from '../../../../src/kernel/errors.ts';
import { agentIn, onboard, type Site, toolNamed } from '../../../tools/agent.ts';
import { type PlayedDriver, playDriver } from '../../devices/played-driver.ts';
import { ACTIONS } from '../../people/actions.ts';
import type { Session } from '../../people/session.ts';
import type { World } from '../../world/app.ts';
import { openConversation } from './conversation.ts';
import { truths, wrongIn } from './oracle.ts';

const SITES = 3;
const STEPS = 7;
const LIFE_MS = 600_000;

const Told = z.looseObject({
  actionId: z.string(),
  /** Left out where all that is told waits; null for a sentence without a status beside it. */
  status: z.string().nullish(),
  say: z.string(),
  /** Of a page without a sentence: what it shows of each write, in their order. */
  page: z.object({ values: z.array(z.string()), devices: z.array(z.string()) }).optional(),
});
type Told = z.output<typeof Told>;
const Events = z.object({
  events: z.array(z.object({ actionId: z.string(), say: z.string() })),
  nextCursor: z.string(),
});
const Listed = z.array(Told);

/** One history: how many sentences were read, and which were wrong. */
export type History = { read: number; wrong: string[] };
type Plant = { site: Site; driver: PlayedDriver };

/** So many histories in one tenant: its login ends with the time that passes in them. */
const IN_TENANT = 4;

/** What the page of a review says of an action. */
export type Reviewed = (actionId: string) => Promise<Told>;
/** Logs in to the console as the admin of a tenant. */
export type OpenReviews = (tenant: string) => Promise<Reviewed>;

/** Random histories of actions, after each event of which every sentence at every door is compared. */
export function openHistories(world: World, random: () => number, reviews?: OpenReviews) {
  let opened: Awaited<ReturnType<typeof historiesIn>> | undefined;
  let count = 0;
  return async (): Promise<History> => {
    if (count % IN_TENANT === 0 || !opened) {
      const session = await world.tenant(`histories-${count}`);
      opened = await historiesIn(world, session, random, await reviews?.(session.tenant));
    }
    count += 1;
    return opened.history();
  };
}

async function historiesIn(
  world: World,
  session: Session,
  random: () => number,
  reviewed?: Reviewed,
) {
  const { app } = world;
  const { tenantId, principalId } = session;
  const agent = agentIn(session);
  const human: Caller = {
    tenantId,
    principalId,
    principalType: 'USER',
    name: 'admin',
    via: 'login',
    permissions: new Set(['*']),
  };
  const any = <T>(of: readonly T[]): T | undefined => of[Math.floor(random() * of.length)];
  const plants: Plant[] = [];
  for (let n = 0; n < SITES; n += 1) {
    const site = await onboard(session, `history-${tenantId}-${n}`);
    plants.push({ site, driver: await playDriver(world, session, site) });
  }
  let since = 0;
  let talk = await openConversation(world, session, agent);
  let cursor = '';
  const value = () => String(10 + Math.floor(random() * 6));

  const actions = () =>
    inTenant(app.db, tenantId, (q) =>
      q
        .selectFrom('svc_action')
        .select(['actionId', 'digest', 'status'])
        .where('tenantId', '=', tenantId)
        .where('createTime', '>=', new Date(since))
        .execute(),
    );
  const sent = () =>
    inTenant(app.db, tenantId, (q) =>
      q
        .selectFrom('svc_point_command_history')
        .select(['commandId', 'requestValue', 'deviceId'])
        .where('tenantId', '=', tenantId)
        .where('status', '=', 1)
        .execute(),
    );
  const open = async () => any((await actions()).filter(({ status }) => status === 0));
  const writeAt = ({ site: { deviceId, pointId } }: Plant) => ({
    deviceId,
    pointId,
    value: value(),
  });
  const state = ({ site }: Plant, status: 'ONLINE' | 'OFFLINE') =>
    world.bus.handled(
      'svc.e.state',
      {
        driverCode: site.driverCode,
        node: 'test',
        at: app.clock.now(),
        leaseMs: 45_000,
        devices: [
          { tenantId, deviceId: site.deviceId, status, description: 'test', claim: 'none' },
        ],
      },
      site.driverCode,
    );
  const answers = (request: string) =>
    [
      { status: 'SUCCESS', responseValue: request, readBack: request },
      { status: 'SUCCESS' },
      { status: 'FAILED', errorCode: 'DEVICE_REFUSED' },
      { status: 'UNKNOWN', errorCode: 'TIMEOUT' },
      { status: 'UNKNOWN', errorCode: 'TIMEOUT' },
    ] as const;

  const proposed = (asked: Parameters<typeof propose>[2]) =>
    propose(app, agent, { ...asked, conversationId: talk.conversationId });
  const events: Record<string, (plant: Plant) => Promise<unknown>> = {
    value: ({ driver }) => driver.says(value()),
    online: (plant) => state(plant, 'ONLINE'),
    offline: (plant) => state(plant, 'OFFLINE'),
    propose: (plant) => proposed(writeAt(plant)),
    again: (plant) => proposed(writeAt(plant)),
    plan: () => proposed({ writes: plants.map(writeAt) }),
    async confirm() {
      const one = await open();
      if (one) await confirm(app, human, { ...one, comment: '', waitMs: 0 });
    },
    async reject() {
      const one = await open();
      if (one) await reject(app, human, { actionId: one.actionId, comment: '' });
    },
    async withdraw() {
      const one = await open();
      if (one) await withdraw(app, agent, { actionId: one.actionId, reason: '' });
    },
    async answer() {
      const one = any(await sent());
      const plant = plants.find(({ site }) => site.deviceId === one?.deviceId);
      const answer = any(answers(one?.requestValue ?? ''));
      if (one && plant && answer) await plant.driver.answer(one.commandId, answer);
    },
    async proof() {
      const [unknown] = await inTenant(app.db, tenantId, (q) =>
        q
          .selectFrom('svc_point_command_history')
          .select(['requestValue', 'deviceId'])
          .where('tenantId', '=', tenantId)
          .where('status', '=', 8)
          .orderBy('id', 'desc')
          .limit(1)
          .execute(),
      );
      const plant = plants.find(({ site }) => site.deviceId === unknown?.deviceId);
      if (plant && unknown) await plant.driver.says(unknown.requestValue ?? '');
    },
    time: async () => world.clock.shift(Math.floor(random() * 120_000)),
    expiry: async () => world.clock.shift(LIFE_MS),
  };
  const names = [
    ...Object.keys(events),
    'propose',
    'propose',
    'plan',
    'confirm',
    'answer',
    'proof',
  ];

  const run = async (name: string, given: object): Promise<unknown> =>
    toolNamed(name).run(app, agent, given);
  const eventsAfter = async (given: object) =>
    Events.parse(await run('waitForEvents', { kinds: ['action'], waitS: 0, ...given }));

  const resource = app.resources.find(({ uri }) => uri === 'svc://action/{actionId}');
  const inResource = async (actionId: string): Promise<Told> =>
    Told.parse(await resource?.read(app, agent, { actionId }));
  async function inTask(actionId: string): Promise<Told> {
    const found = await Promise.all(
      app.tasks.map((kind) => kind.get(app, agent, actionId, () => false)),
    );
    const say = found.find((task) => task !== null)?.statusMessage;
    return { ...Told.parse({ actionId, say }), status: null };
  }

  /** Every sentence about an action at every door, by door. */
  async function doors(): Promise<Map<string, Told[]>> {
    const all = await actions();
    const found = z.object({ actions: Listed });
    const records = z.object({ records: Listed });
    const handed = z.object({ pending: Listed.nullish() });
    const looked = await Promise.all(
      all.map(async ({ actionId }) =>
        Told.parse(await run('lookupActionById', { actionId, waitS: 0 })),
      ),
    );
    const views = await Promise.all(
      all.map(
        async ({ actionId }) =>
          (await session.get(`${ACTIONS}/get`, { action_id: actionId })).body.data,
      ),
    );
    const happened = await eventsAfter({ cursor }).catch((error: unknown) => {
      // By the clock of the run, which is ahead of the rows of the feed, they are too old at some time.
      if (error instanceof Gone) return { events: [] };
      throw error;
    });
    // One page: it takes longer than all others together.
    const shown = any(all);
    return new Map<string, Told[]>([
      ['console', reviewed && shown ? [await reviewed(shown.actionId)] : []],
      ['chat', await talk.prompt()],
      ['notice', await talk.notices()],
      ['waitForEvents', happened.events.map((event) => ({ ...event, status: null }))],
      ['resource', await Promise.all(all.map(({ actionId }) => inResource(actionId)))],
      ['task', await Promise.all(all.map(({ actionId }) => inTask(actionId)))],
      ['REST get', Listed.parse(views)],
      ['REST pending', Listed.parse((await session.get(`${ACTIONS}/pending`)).body.data)],
      ['REST search', found.parse(await session.data(`${ACTIONS}/search`, { limit: 100 })).actions],
      [
        'REST handover',
        handed.parse((await session.get('/api/v3/agentic/handover/get')).body.data).pending ?? [],
      ],
      ['lookupActionById', looked],
      ['searchActions', records.parse(await run('searchActions', { mine: true })).records],
      ['getHandover', handed.parse(await run('getHandover', { since: '1' })).pending ?? []],
    ]);
  }

  const rows = () =>
    inTenant(app.db, tenantId, (q) => truths(q, tenantId, { since, now: app.clock.now() }));

  /** Compared with rows that were the same before and after: a sweep may come between. */
  async function look(): Promise<History> {
    const before = await rows();
    const said = await doors();
    const known = await rows();
    if (!isDeepStrictEqual(before, known)) return look();
    const wrong: string[] = [];
    let read = 0;
    for (const [door, sentences] of said)
      for (const { actionId, status = 'PENDING', say, page } of sentences) {
        const truth = known.find((one) => one.actionId === actionId);
        if (!truth) continue;
        read += 1;
        wrong.push(
          ...wrongIn(truth, { status, say, page }).map((what) => `${door}: ${what}: ${say}`),
        );
      }
    return { read, wrong };
  }

  return {
    async history(): Promise<History> {
      world.clock.shift(LIFE_MS);
      since = app.clock.now();
      talk = await openConversation(world, session, agent);
      cursor = (await eventsAfter({})).nextCursor;
      const all: History = { read: 0, wrong: [] };
      for (let n = 0; n < STEPS; n += 1) {
        const name = any(names) ?? 'time';
        const plant = any(plants);
        if (!plant) continue;
        world.clock.shift(1_000);
        await events[name]?.(plant).catch((error: unknown) => {
          // What may not be done now is refused, which is no part of this.
          if (!(error instanceof AppError)) throw error;
        });
        const { read, wrong } = await look();
        all.read += read;
        all.wrong.push(...wrong.map((what) => `after ${name}: ${what}`));
      }
      return all;
    },
  };
}

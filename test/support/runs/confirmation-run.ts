import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { z } from 'zod';

import { type RunningDriver, startDriver } from '../../../driver/sdk/host/host.ts';
import { confirm } from '../../../src/agentic/decision/decision.ts';
import { propose } from '../../../src/agentic/propose/action.ts';
import type { Bus } from '../../../src/bus/bus.ts';
import { waitForReceipt } from '../../../src/data/command/receipt.ts';
import type { App, Caller } from '../../../src/kernel/app/app.ts';
import { AppError } from '../../../src/kernel/errors.ts';
import { beforeDispatch } from '../devices/before-dispatch.ts';
import { add } from '../devices/plant.ts';
import {
  deviceSettings,
  lineOf,
  pointSettings,
  recordingDriver,
  type WireLine,
} from '../lwm2m/wire-recorder.ts';
import { Action, ACTIONS } from '../people/actions.ts';
import type { Session } from '../people/session.ts';
import { Records } from '../people/shapes.ts';
import { eventually } from '../world/eventually.ts';
import { changesOf, type Place } from './configuration-change.ts';

const MANAGER = '/api/v3/manager';
/** When the change lands; `unheard`: before the proposal, and the driver does not hear of it. */
const moments = ['before confirm', 'before dispatch', 'unheard'] as const;
const Refusal = z.object({ card: z.object({ digest: z.string(), changes: z.array(z.string()) }) });

export type Round = {
  what: string;
  ends: 'fresh card' | 'refused' | 'written';
  /** What is wrong with it; empty when a write that went out is the one on the card. */
  wrong: string;
};

/** Changes of the configuration around a confirmation, with drivers that keep what goes out. */
export async function openConfirmationRun(
  { app, bus, session }: { app: App; bus: Bus; session: Session },
  random: () => number,
) {
  const lines: WireLine[] = [];
  const dataDir = await mkdtemp(join(tmpdir(), 'confirmation-'));
  let isDeaf = false;
  const deafBus: Bus = {
    ...bus,
    subscribe: (topic, options, handle) =>
      bus.subscribe(topic, options, async (payload, delivery) => {
        if (topic === 'svc.e.metadata' && isDeaf) return;
        await handle(payload, delivery);
      }),
  };
  const { clock, log } = app;
  const suffix = randomBytes(3).toString('hex');
  const codes = [`Wire${suffix}A`, `Wire${suffix}B`];
  const hosts: RunningDriver[] = [];
  for (const code of codes) {
    const options = { bus: deafBus, clock, log, node: 'n1', dataDir };
    hosts.push(await startDriver(recordingDriver(code, lines), options));
  }
  await eventually(
    async () => hosts.every((host) => host.registered()),
    (all) => all,
  );
  const driverIds = new Map<string, string>();
  for (const driverCode of codes) {
    const found = await session.data(`${MANAGER}/driver/list`, { driverCode });
    driverIds.set(driverCode, Records.parse(found).records[0]?.id ?? '');
  }
  const [code = '', otherCode = ''] = codes;
  const changes = changesOf({ session, random, driverIds, otherCode });
  let count = 0;

  async function place(): Promise<Place> {
    count += 1;
    const name = `${suffix}-${count}`;
    const profileId = await add(session, 'profile', { profileName: `p ${name}` });
    const point = { pointTypeFlag: 'DOUBLE', rwFlag: 'READ_WRITE', minValue: 5, maxValue: 500 };
    const pointId = await add(session, 'point', { ...point, pointName: `sp ${name}`, profileId });
    const driverId = driverIds.get(code) ?? '';
    const deviceId = await add(session, 'device', { deviceName: `d ${name}`, driverId, profileId });
    const account = `agent-${name}`;
    const id = await session.data('/api/v3/auth/service_account/add', {
      serviceAccountName: account,
    });
    const found = await session.data('/api/v3/auth/service_account/get_by_id', undefined, {
      id: String(id),
    });
    const { principalId } = z.object({ principalId: z.string() }).parse(found);
    const scaling = { type: 'DOUBLE', multiple: 1, base: 0 };
    const settings = { ...deviceSettings, ...pointSettings };
    return {
      deviceId,
      pointId,
      profileId,
      accountId: String(id),
      principalId,
      code,
      ...scaling,
      settings,
    };
  }

  /** What has to go out for `value` as the configuration is now. */
  const expected = ({ code: driver, type, multiple, base, settings }: Place, value: number) =>
    lineOf({ code: driver, ...settings, type, raw: String((value - base) / multiple) });

  const human: Caller = {
    tenantId: session.tenantId,
    principalId: '1',
    principalType: 'USER',
    name: 'admin',
    via: 'login',
    permissions: new Set(['*']),
  };

  /** A plan has an undisturbed write before the one that the change is about. */
  async function round(n: number, kind: 'write' | 'plan' = 'write'): Promise<Round> {
    const at = await place();
    const first = kind === 'plan' ? await place() : null;
    const change = changes[n % changes.length] ?? changes[0];
    if (!change) throw new Error('there is no change to make');
    const moment = moments[Math.floor(n / changes.length) % moments.length] ?? 'unheard';
    const value = 8 * (2 + Math.floor(random() * 40));
    const what = `${kind}, ${moment}: ${change.name}`;
    for (const { deviceId } of [at, ...(first ? [first] : [])])
      await eventually(
        async () => hosts[0]?.devices().get(deviceId)?.points.length ?? 0,
        (points) => points > 0,
      );
    const agent: Caller = {
      ...human,
      principalId: at.principalId,
      principalType: 'SERVICE_ACCOUNT',
      name: 'agent',
      via: 'oauth',
    };
    const land = () => change.land(at);
    isDeaf = moment === 'unheard';
    try {
      if (moment === 'unheard') await land();
      const write = ({ deviceId, pointId }: Place) => ({ deviceId, pointId, value: String(value) });
      const wanted = first ? { writes: [write(first), write(at)] } : write(at);
      const card = await propose(app, agent, wanted);
      let promised = expected(at, value);
      if (moment === 'before confirm') await land();
      const through = moment === 'before dispatch' ? beforeDispatch(app, land) : app;
      let ends: Round['ends'] = 'refused';
      let decided = await decide(through, card.actionId, card.digest);
      if (decided.fresh !== undefined && decided.fresh !== card.digest) {
        ends = 'fresh card';
        promised = expected(at, value);
        decided = await decide(app, card.actionId, decided.fresh);
      }
      if (decided.commandId !== undefined)
        await waitForReceipt(app, human, { commandId: decided.commandId, waitMs: 15_000 });
      if (first && decided.commandId !== undefined) await ended(card.actionId);
      const judgement = judged(at, promised, ends);
      const before = first ? judged(first, expected(first, value), ends).wrong : '';
      return { what, ...judgement, wrong: judgement.wrong || before };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { what, ...judged(at, '', 'refused') };
    } finally {
      isDeaf = false;
      await change.mend?.(at);
    }
  }

  const ended = (actionId: string): Promise<unknown> =>
    eventually(
      () => session.data(`${ACTIONS}/get`, undefined, { actionId }),
      (action) => Action.parse(action).status !== 'CONFIRMED',
    );

  async function decide(
    by: App,
    actionId: string,
    digest: string,
  ): Promise<{ commandId?: string; fresh?: string }> {
    try {
      const { commandId } = await confirm(by, human, { actionId, digest, comment: '', waitMs: 0 });
      if (commandId === null) throw new Error('a confirmed action has no command');
      return { commandId };
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 412) throw error;
      return { fresh: Refusal.parse(error.detail).card.digest };
    }
  }

  function judged({ deviceId }: Place, promised: string, ends: Round['ends']) {
    const out = lines.filter((one) => one.deviceId === deviceId).map(({ line }) => line);
    const wrong =
      out.length > 1 || (out[0] ?? promised) !== promised
        ? `promised ${promised}, went out: ${out.join(' and ')}`
        : '';
    return { ends: out.length > 0 && ends === 'refused' ? ('written' as const) : ends, wrong };
  }

  return {
    round,
    kinds: changes.length * moments.length,
    async close() {
      for (const host of hosts) await host.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

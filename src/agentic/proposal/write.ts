import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';

import { latestOf } from '../../data/value/point-value.ts';
import { dispatch, insertWrite } from '../../data/write/dispatch.ts';
import { type CheckedWrite, checkWrite } from '../../data/write/write-check.ts';
import type { Queries } from '../../db/connect.ts';
import type { App } from '../../kernel/app/app.ts';
import { AppError, BadRequest, Unprocessable } from '../../kernel/errors.ts';
import { amount, byName, cutSentence, quoted } from '../../kernel/sentence/voice.ts';
import { stateOf } from '../../manager/device/state.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { presenceOf } from '../../manager/presence/presence.ts';
import { deadbandOf } from '../../manager/profile/deadband.ts';
import { type Card, type WriteCard, writesOf } from '../action/card/card.ts';
import { changesOf, changesOfCard, movementOf } from '../action/card/change.ts';
import { type Framed, frameOf, type Proposer } from '../action/card/frame.ts';
import { isSame } from '../action/card/notes.ts';
import { isAt } from '../action/card/place.ts';
import { factsOf } from '../action/card/wire.ts';
import type { Kind, Made, Making } from './kind.ts';
import { otherWritesOf } from './other-writes.ts';
import { rejectedFor, rejectionOf } from './rejected-before.ts';

/** docs/specification/limits.md, Pending action. */
const ACTION_LIFE_MS = 600_000;
const WRITE_ONLY = 'WRITE_ONLY';

/** A write as a caller asks for it. */
export type Write = {
  deviceId: string;
  pointId: string;
  /** A number may have a unit, which is converted to that of the point. */
  value: string;
  /** Of a card that is made again: what its value was asked for as. */
  askedAs?: string | undefined;
};
type Wanted = Framed & { writes: readonly Write[] };

/**
 * Checks the writes and makes their card from the present state. Throws like `checkWrite`, of several naming the first
 * write that is refused. `checked` is the first write.
 */
async function makeCard(
  app: App,
  q: Queries,
  proposer: Proposer,
  { writes, ...framed }: Wanted,
): Promise<{ card: Card; checked: CheckedWrite }> {
  const { tenantId } = proposer;
  const { actionId, now } = framed;
  const [made, frame] = await Promise.all([
    Promise.allSettled(
      writes.map((write) => makeWrite(app, q, { tenantId, actionId, write, now })),
    ),
    frameOf(q, proposer, framed, ACTION_LIFE_MS),
  ]);
  const all = made.map((one, index) => {
    if (one.status === 'rejected') throw inWrite(one.reason, index, writes.length);
    return one.value;
  });
  const first = demandWrites(all);
  const card: Card = {
    ...first.card,
    ...frame,
    steps: all.length > 1 ? all.map((one) => one.card) : [],
  };
  return { card, checked: first.checked };
}

/** The error of one write of several names it. */
export function inWrite(error: unknown, index: number, count: number): unknown {
  if (!(error instanceof AppError) || count < 2) return error;
  const { status, code, message, detail } = error;
  const write = index + 1;
  return new AppError(status, code, `Write ${write} of ${count}: ${message}`, {
    cause: error,
    detail: { ...detail, write },
  });
}

type MadeWrite = { card: WriteCard; checked: CheckedWrite };

/** Answers the first write of a plan; throws if two write the same point, or one before the last cannot be verified. */
function demandWrites(writes: readonly MadeWrite[]): MadeWrite {
  const [first] = writes;
  if (!first) throw new BadRequest('There is nothing to write');
  const places = writes.map(({ card: { deviceId, pointId } }) => `${deviceId}/${pointId}`);
  const again = places.findIndex((place, index) => places.indexOf(place) < index);
  if (again > 0) {
    const before = places.indexOf(places[again] ?? '') + 1;
    const twice = new Unprocessable(`it goes to the same point as write ${before}`);
    throw inWrite(twice, again, writes.length);
  }
  const blind = writes.slice(0, -1).findIndex(({ checked }) => checked.point.rwFlag === WRITE_ONLY);
  if (blind >= 0) {
    const named = quoted(writes[blind]?.card.pointName ?? '');
    const unseen = new Unprocessable(
      `${named} cannot be read back, so no write can follow it; put it last`,
    );
    throw inWrite(unseen, blind, writes.length);
  }
  return first;
}

type WantedWrite = { tenantId: string; actionId: string; write: Write; now: number };

/** Checks one write and makes its part of a card; throws like `checkWrite`. */
export async function makeWrite(
  app: App,
  q: Queries,
  { tenantId, actionId, write, now }: WantedWrite,
): Promise<MadeWrite> {
  const place = { tenantId, deviceId: write.deviceId, pointId: write.pointId };
  const [checked, latest, state, others, rejected] = await Promise.all([
    checkWrite(q, app, tenantId, write, { takesUnits: true }),
    latestOf(q, tenantId, place.deviceId, place.pointId),
    stateOf(q, tenantId, EntityType.DEVICE, place.deviceId, now),
    otherWritesOf(q, place, { actionId, now }),
    rejectedFor(q, place, now),
  ]);
  const { device, point, value } = checked;
  const hasLimits = point.minValue !== null || point.maxValue !== null;
  const currentValue = latest?.calValue ?? null;
  const presence = presenceOf(state);
  const card: WriteCard = {
    deviceId: device.id,
    deviceName: device.deviceName,
    deviceCode: device.deviceCode,
    deviceStatus: presence.status,
    offlineSince: presence.offlineSince,
    pointId: point.id,
    pointName: point.pointName,
    pointCode: point.pointCode,
    unit: point.unit,
    currentValue,
    currentTime: latest?.createTime ?? null,
    proposedValue: value,
    ...((checked.askedAs ?? write.askedAs) !== undefined && {
      askedAs: checked.askedAs ?? write.askedAs,
    }),
    limits: {
      min: point.minValue,
      max: point.maxValue,
      verdict: hasLimits ? 'WITHIN' : 'NONE_SET',
    },
    deadband: deadbandOf(point, currentValue),
    effect: factsOf(checked, app.keys.confirmation),
    others,
    rejectedBefore: rejectionOf(rejected, place, value),
  };
  return { card, checked };
}

type Which = { tenantId: string; actionId: string };

/** SQL condition on `svc_action`: at least one of its steps has no command yet. */
export const hasMoreSteps = sql<boolean>`exists (
  select from svc_action_step s where s.tenant_id = svc_action.tenant_id
    and s.action_id = svc_action.action_id and s.command_id is null)`;

/** Stores the writes of a proposal of several. */
export async function storeSteps(q: Queries, card: Card): Promise<void> {
  const { tenantId, actionId } = card;
  await q
    .insertInto('svc_action_step')
    .values(
      writesOf(card).map(({ deviceId, pointId }, index) => ({
        tenantId,
        actionId,
        step: index + 1,
        deviceId,
        pointId,
      })),
    )
    .execute();
}

/** Gives a step (from 1 on) its command, once; false if it has one. */
export async function giveCommand(
  q: Queries,
  { tenantId, actionId }: Which,
  { step, commandId }: { step: number; commandId: string },
): Promise<boolean> {
  const given = await q
    .updateTable('svc_action_step')
    .set({ commandId })
    .where('tenantId', '=', tenantId)
    .where('actionId', '=', actionId)
    .where('step', '=', step)
    .where('commandId', 'is', null)
    .returning('step')
    .executeTakeFirst();
  return given !== undefined;
}

/** For an action that is open again: none of its commands was sent. */
export async function forgetCommands(q: Queries, { tenantId, actionId }: Which): Promise<void> {
  await q
    .updateTable('svc_action_step')
    .set({ commandId: null })
    .where('tenantId', '=', tenantId)
    .where('actionId', '=', actionId)
    .execute();
}

const MAX_TITLE = 512;

/** Checks the writes and makes their card. Throws like `checkWrite`. */
export async function makeWrites(
  { app, q, proposer, framed }: Making,
  writes: readonly Write[],
): Promise<Made> {
  const { card, checked } = await makeCard(app, q, proposer, { ...framed, writes });
  return {
    card,
    begin(_app, within, { caller, proposal, now }) {
      const commandId = randomUUID();
      const { actionId } = proposal;
      const write = { caller, ...checked, source: 'AGENTIC' as const, actionId, commandId, now };
      const stored = Promise.all([
        insertWrite(within, write),
        proposal.isOfSteps && giveCommand(within, proposal, { step: 1, commandId }),
      ]);
      return { commandId, stored };
    },
  };
}

/** The same values to the same points, in the same order. */
function isEqual(one: Card, other: Card): boolean {
  const writes = writesOf(other);
  return (
    writesOf(one).length === writes.length &&
    writesOf(one).every((write, index) => {
      const now = writes[index];
      return now && isAt(now, write) && isSame(write.proposedValue, now.proposedValue);
    })
  );
}

/** Of several writes a sentence, in which names and values are quoted: logs show it as the platform's own. */
function title(card: Card): string {
  const writes = writesOf(card);
  const [only] = writes;
  if (writes.length === 1 && only)
    return `${only.deviceName} · ${only.pointName} → ${only.proposedValue} ${only.unit}`.trim();
  const titles = writes.map(
    ({ deviceName, pointName, proposedValue, unit }) =>
      `${quoted(deviceName)} · ${quoted(pointName)} → ${amount(proposedValue, unit, byName)}`,
  );
  return cutSentence(`${titles.length} writes: ${titles.join('; ')}`, MAX_TITLE - 1);
}

const PERMISSION = 'svc-center-data:point_command:write';

/** A write of one value to one point. */
export const write: Kind = {
  noun: 'write',
  tool: 'writePointValue',
  proposes: PERMISSION,
  reads: null,
  confirms: PERMISSION,
  title,
  isEqual,
  needsDigest: ({ others }) => others.some(({ kind }) => kind === 'UNKNOWN'),
  isApprovable: true,
  isImmediate: false,
  locks: (card) =>
    writesOf(card).map(({ deviceId, pointId }) => `write:${card.tenantId}:${deviceId}:${pointId}`),
  remake: (making, old) =>
    makeWrites(
      making,
      writesOf(old).map(({ deviceId, pointId, proposedValue: value, askedAs }) => ({
        deviceId,
        pointId,
        value,
        askedAs,
      })),
    ),
  changes: changesOf,
  changesOfEffect: changesOfCard,
  movement: movementOf,
  send: dispatch,
};

/** Several writes as one. */
export const plan: Kind = {
  ...write,
  tool: 'proposeWrites',
  needsDigest: () => true,
  isApprovable: false,
  isImmediate: false,
};

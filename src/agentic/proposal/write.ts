import { randomUUID } from 'node:crypto';

import { dispatch } from '../../data/write/dispatch.ts';
import { insertWrite } from '../../data/write/point-command.ts';
import { amount, byName, cutSentence, quoted } from '../../kernel/sentence/voice.ts';
import { type Card, writesOf } from '../action/card/card.ts';
import { changesOf, changesOfCard, movementOf } from '../action/card/change.ts';
import { isSame } from '../action/card/notes.ts';
import { isAt } from '../action/card/place.ts';
import type { Kind, Made, Making } from './kind.ts';
import { makeCard, type Write } from './maker.ts';
import { giveCommand } from './step.ts';

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
  confirms: PERMISSION,
  title,
  isEqual,
  needsDigest: ({ others }) => others.some(({ kind }) => kind === 'UNKNOWN'),
  isApprovable: true,
  locks: (card) =>
    writesOf(card).map(({ deviceId, pointId }) => `write:${card.tenantId}:${deviceId}:${pointId}`),
  remake: (making, old) =>
    makeWrites(
      making,
      writesOf(old).map(({ deviceId, pointId, proposedValue: value }) => ({
        deviceId,
        pointId,
        value,
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
};

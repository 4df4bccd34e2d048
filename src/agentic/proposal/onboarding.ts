import type { Queries } from '../../db/connect.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { tellDrivers } from '../../manager/driver/driver-updates.ts';
import {
  type ClaimTarget,
  demandNewNames,
  planClaim,
} from '../../manager/registration/claim-plan.ts';
import { claimIn } from '../../manager/registration/claim.ts';
import { ownWaiting } from '../../manager/registration/waiting.ts';
import type { Card } from '../action/card/card.ts';
import { frameOf, NO_WRITE } from '../action/card/frame.ts';
import { type DoneResult, NOTHING_DONE } from '../action/kind/alarm-card.ts';
import type { OnboardingCard } from '../action/kind/onboarding-card.ts';
import type { Kind, Made, Making } from './kind.ts';

const MAX_TITLE = 512;
/** docs/specification/limits.md, Pending action: a device is looked for longer than a value. */
const LIFE_MS = 86_400_000;

/** A waiting endpoint, and the device that is to get it. */
export type OnboardingAsk = ClaimTarget & { waitingId: string };

/**
 * Looks at an endpoint and a device and makes the card of an onboarding. Throws NotFound for an endpoint that waits no
 * longer, and as a claim.
 */
export async function makeOnboarding(
  { q, proposer, framed }: Making,
  { waitingId, ...given }: OnboardingAsk,
): Promise<Made> {
  const { tenantId } = proposer;
  const [frame, row] = await Promise.all([
    frameOf(q, proposer, framed, LIFE_MS),
    ownWaiting(q, tenantId, waitingId),
  ]);
  const plan = await planClaim(q, tenantId, row, given);
  await demandNewNames(q, tenantId, plan);
  const { driver, device, deviceName, profile, group } = plan;
  const before = group?.before ?? null;
  const onboarding: OnboardingCard = {
    waitingId,
    endpoint: row.endpoint,
    driverName: driver.name,
    proof: row.keyDeviceId === '0' ? 'NONE' : 'KEY',
    deviceId: device?.id ?? null,
    deviceName,
    endpointBefore: device?.endpoint ?? null,
    profileId: profile?.id ?? null,
    profileName: profile?.name ?? null,
    groupId: group?.id ?? null,
    groupName: group?.name ?? null,
    groupBefore: before === null || before.id === group?.id ? null : before.name,
  };
  return {
    card: { ...NO_WRITE, ...frame, onboarding },
    begin(app, within, { caller, proposal: { actionId } }) {
      const stored = effectOf(app, within, caller, { onboarding, actionId });
      return {
        commandId: null,
        stored,
        async after() {
          await tellDrivers(app, tenantId, { deviceId: await stored });
        },
      };
    },
  };
}

const askOf = ({ deviceName, ...card }: OnboardingCard): OnboardingAsk => {
  const { waitingId, deviceId, profileId, groupId } = card;
  return {
    waitingId,
    ...(deviceId === null ? { deviceName } : { deviceId }),
    ...(profileId !== null && { profileId }),
    ...(groupId !== null && { groupId }),
  };
};

type Effect = { onboarding: OnboardingCard; actionId: string };

/** Claims the endpoint as the person that confirmed it; answers the id of the device. */
async function effectOf(
  app: App,
  q: Queries,
  caller: Caller,
  { onboarding, actionId }: Effect,
): Promise<string> {
  const { tenantId } = caller;
  const { waitingId, ...given } = askOf(onboarding);
  const row = await ownWaiting(q, tenantId, waitingId);
  const deviceId = await claimIn(app, q, caller, { row, given });
  const result: DoneResult = { ...NOTHING_DONE, deviceId };
  await q
    .updateTable('svc_action')
    .set({ result: JSON.stringify(result) })
    .where('tenantId', '=', tenantId)
    .where('actionId', '=', actionId)
    .execute();
  return deviceId;
}

/** What a person was shown and relied on, and what there is now. */
function changesOf({ onboarding: old }: Card, { onboarding: fresh }: Card): string[] {
  if (!old || !fresh) return ['it is another proposal'];
  const named = (of: OnboardingCard) => [of.deviceName, of.profileName, of.driverName].join('\n');
  const groups = (of: OnboardingCard) => [of.groupName, of.groupBefore].join('\n');
  return [
    ...(named(old) === named(fresh) ? [] : ['the names of the device, its profile or its driver']),
    ...(groups(old) === groups(fresh)
      ? []
      : ['the name of the group, or the group that the device is in']),
    ...(old.proof === fresh.proof && old.endpoint === fresh.endpoint
      ? []
      : ['what the endpoint proved']),
    ...(old.endpointBefore === fresh.endpointBefore
      ? []
      : ['the endpoint that the device has by now']),
  ];
}

/** An endpoint that waits becomes that of a device. */
export const onboarding: Kind = {
  noun: 'onboarding',
  tool: 'proposeOnboarding',
  proposes: 'svc-center-agentic:onboarding:propose',
  reads: 'svc-center-manager:device:list',
  confirms: 'svc-center-manager:device:add',
  title: ({ onboarding: card }) =>
    card === null
      ? ''
      : `Onboard ${card.endpoint}: ${card.deviceName}`.slice(0, MAX_TITLE).toWellFormed(),
  isEqual: (one, other) =>
    JSON.stringify(one.onboarding && askOf(one.onboarding)) ===
    JSON.stringify(other.onboarding && askOf(other.onboarding)),
  needsDigest: () => true,
  isApprovable: false,
  isImmediate: true,
  locks: ({ tenantId }) => [`onboarding:${tenantId}:confirm`],
  remake(making, { onboarding: card }) {
    if (!card) throw new Error('a card of an onboarding has none');
    return makeOnboarding(making, askOf(card));
  },
  changes: changesOf,
  changesOfEffect: changesOf,
  movement: () => '',
  send: null,
};

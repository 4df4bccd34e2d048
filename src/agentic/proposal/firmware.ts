import type { Card } from '../action/card/card.ts';
import { changesOfRollout } from '../action/card/words/firmware-change.ts';
import type { FirmwareCard } from '../action/kind/firmware-card.ts';
import { makeRollout } from './firmware-maker.ts';
import type { Kind } from './kind.ts';

const MAX_TITLE = 512;
const MAX_NAMED = 5;

/** The title is the platform's: nothing in it is a word of the agent. */
function titleOfRollout({ packageName, packageVersion, devices }: FirmwareCard): string {
  const names = devices.slice(0, MAX_NAMED).map(({ deviceName }) => deviceName);
  const more = devices.length > MAX_NAMED ? ' …' : '';
  const count = devices.length === 1 ? '1 device' : `${devices.length} devices`;
  return `Firmware ${packageName} ${packageVersion} → ${count}: ${names.join(', ')}${more}`
    .slice(0, MAX_TITLE)
    .toWellFormed();
}

/** The same package, in the same way, to the same devices in the same order. */
const sameOf = ({ firmware }: Card): string =>
  JSON.stringify(
    firmware && [
      firmware.packageId,
      firmware.packageUri,
      firmware.waveSize,
      firmware.failurePercent,
      firmware.minutes,
      firmware.devices.map(({ deviceId }) => deviceId),
    ],
  );

/** A package of firmware to devices, in waves. */
export const firmware: Kind = {
  noun: 'roll-out',
  tool: 'proposeFirmware',
  proposes: 'svc-center-agentic:firmware_rollout:propose',
  reads: null,
  confirms: 'svc-center-manager:firmware_rollout:add',
  title: (card) => (card.firmware ? titleOfRollout(card.firmware) : ''),
  isEqual: (one, other) => sameOf(one) === sameOf(other),
  needsDigest: () => true,
  isApprovable: false,
  isImmediate: false,
  locks: ({ tenantId }) => [`firmware:${tenantId}:confirm`],
  remake(making, { firmware: card }) {
    if (!card) throw new Error('a card of firmware has none');
    const { packageId, packageUri, waveSize, failurePercent, minutes } = card;
    const waved = { waveSize, failurePercent, minutes };
    return makeRollout(making, { packageId, byUri: packageUri !== '', ...waved, card });
  },
  changes: changesOfRollout,
  changesOfEffect: changesOfRollout,
  movement: () => '',
  send: null,
};

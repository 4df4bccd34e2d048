import { byName, quoted } from '../../../../kernel/sentence/voice.ts';
import { changesBetween } from '../../../../manager/entity/setting-facts.ts';
import type { FirmwareCard } from '../../kind/firmware-card.ts';
import type { Card } from '../card.ts';
import { leftOutWords } from './firmware-words.ts';

/** More are not read. */
const MAX_PHRASES = 20;

/** What a confirmation relies on, by its words; the devices apart. */
const factsOf = (card: FirmwareCard): Record<string, string> => ({
  'the package': `${card.packageName} ${card.packageVersion} (${card.packageId})`,
  'its SHA-256': card.sha256 ?? '',
  'its size': String(card.size),
  'its model': card.packageModel,
  'its address': card.packageUri,
  'devices in a wave': String(card.waveSize),
  'the share of failures that stops it': String(card.failurePercent),
  'the minutes of a device': String(card.minutes),
});

/** Changes that make a confirmation void, one phrase each. */
export function changesOfRollout({ firmware: old }: Card, { firmware: fresh }: Card): string[] {
  if (!old || !fresh) return ['it is not a roll-out any more'];
  const phrases = [
    ...changesBetween(factsOf(old), factsOf(fresh)),
    ...changesOfDevices(old, fresh),
  ];
  const more = phrases.length - MAX_PHRASES;
  return more > 0 ? [...phrases.slice(0, MAX_PHRASES), `and ${more} more`] : phrases;
}

function changesOfDevices(old: FirmwareCard, fresh: FirmwareCard): string[] {
  const now = new Map(fresh.devices.map((device) => [device.deviceId, device]));
  const out = new Map(fresh.leftOut.map((device) => [device.deviceId, device]));
  return old.devices.flatMap((before) => {
    const device = now.get(before.deviceId);
    const name = quoted(before.deviceName);
    if (device)
      return changesBetween(
        { ...before.effect, 'the name': before.deviceName },
        { ...device.effect, 'the name': device.deviceName },
      ).map((phrase) => `${name}: ${phrase}`);
    const left = out.get(before.deviceId);
    return left
      ? [`${name} is left out now: ${leftOutWords(left, fresh, byName)}`]
      : [`${name} does not exist any more`];
  });
}

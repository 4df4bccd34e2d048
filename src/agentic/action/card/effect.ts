import { createHmac } from 'node:crypto';

import { quoted } from '../../../core/sentence/voice.ts';
import type { CheckedWrite } from '../../../data/command/write-check.ts';
import type { Setting } from '../../../manager/setting.ts';

/** Everything that decides the effect of a write, keyed by display name; secrets as keyed hashes. */
export type Facts = Record<string, string>;

const SECRET = 'secret ';

export const isHidden = (fact: string): boolean => fact.startsWith(SECRET);

/** Facts of a checked write, as its card stores them. */
export function factsOf({ device, point, driver, settings }: CheckedWrite, key: Buffer): Facts {
  const named = (kind: string, given: Record<string, Setting>): Facts =>
    Object.fromEntries(
      Object.entries(given).map(([code, { value, isSecret }]) => [
        `${kind} setting ${code}`,
        // Keyed, so that a short secret cannot be guessed from its hash.
        isSecret ? SECRET + createHmac('sha256', key).update(value).digest('hex') : value,
      ]),
    );
  return {
    driver: `${driver.driverCode} (${driver.id})`,
    profile: device.profileId,
    type: point.pointTypeFlag,
    access: point.rwFlag,
    base: String(point.baseValue),
    multiple: String(point.multiple),
    decimals: String(point.valueDecimal),
    'lower limit': String(point.minValue ?? ''),
    'upper limit': String(point.maxValue ?? ''),
    ...named('device', settings.device),
    ...named('point', settings.point),
  };
}

/** Differences between two sets of facts, one phrase each; a secret appears only as changed. */
export function changesBetween(before: Facts, now: Facts): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].toSorted();
  return names.flatMap((name) => {
    const [old, fresh] = [before[name], now[name]];
    return old === fresh ? [] : [changed(name, old, fresh)];
  });
}

function changed(name: string, old = '', fresh = ''): string {
  if (isHidden(old) || isHidden(fresh)) return `${name} changed`;
  return `${name} changed from ${shown(old)} to ${shown(fresh)}`;
}

const shown = (text: string): string => (text === '' ? 'none' : quoted(text, 64));

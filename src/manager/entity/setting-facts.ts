import { createHmac } from 'node:crypto';

import { quoted } from '../../kernel/sentence/voice.ts';
import type { Setting } from './setting.ts';

/** What decides an effect, keyed by display name; secrets as keyed hashes. */
export type Facts = Record<string, string>;

const SECRET = 'secret ';

export const isHidden = (fact: string): boolean => fact.startsWith(SECRET);

/** Settings of a `kind` (device, point, command) as facts. */
export const settingFacts = (
  kind: string,
  given: Readonly<Record<string, Setting>>,
  key: Buffer,
): Facts =>
  Object.fromEntries(
    Object.entries(given).map(([code, { value, isSecret }]) => [
      `${kind} setting ${code}`,
      // Keyed, so that a short secret cannot be guessed from its hash.
      isSecret ? SECRET + createHmac('sha256', key).update(value).digest('hex') : value,
    ]),
  );

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

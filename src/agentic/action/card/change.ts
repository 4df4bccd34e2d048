import { quoted } from '../../../kernel/sentence/voice.ts';
import { changesBetween } from '../../../manager/entity/setting-facts.ts';
import { hasMoved } from '../../../manager/profile/deadband.ts';
import { type Card, type WriteCard, writesOf } from './card.ts';

/** Fields that a confirmation relies on, besides effect and current value. */
const SHOWN = [
  ['the value to write', 'proposedValue'],
  ['the unit', 'unit'],
  ['the name of the device', 'deviceName'],
  ['the name of the point', 'pointName'],
] as const satisfies [string, keyof WriteCard][];

/** Changes that make a confirmation of `old` void, one phrase each; current values do not count. */
export const changesOfCard = (old: Card, fresh: Card): string[] =>
  ofEach(old, fresh, changesOfWrite);

/** Changes to look at again before confirming: of the writes, the current values and other writes. */
export const changesOf = (old: Card, fresh: Card): string[] =>
  ofEach(old, fresh, (before, now) => [
    ...changesOfWrite(before, now),
    ...(hasMoved(before.currentValue, now.currentValue, now.deadband)
      ? [movementOfWrite(before, now)]
      : []),
    ...now.others
      .filter(({ kind, id }) => kind !== 'PROPOSED' && !isNamed(before, kind, id))
      .map(({ kind, value }) =>
        kind === 'UNKNOWN'
          ? `a write of ${quoted(value)} to this point ended unknown`
          : `a write of ${quoted(value)} to this point is under way`,
      ),
  ]);

/** How the current values moved, also within their dead-bands; empty when none did. */
export const movementOf = (old: Card, fresh: Card): string =>
  ofEach(old, fresh, (before, now) => {
    const movement = movementOfWrite(before, now);
    return movement === '' ? [] : [movement];
  }).join('; ');

type Differences = (before: WriteCard, now: WriteCard) => string[];

/** Of several writes each phrase names its own. */
function ofEach(old: Card, fresh: Card, differences: Differences): string[] {
  const writes = writesOf(fresh);
  return writesOf(old).flatMap((before, index) => {
    const now = writes[index];
    if (!now) return [`write ${index + 1} is missing`];
    const phrases = differences(before, now);
    return writes.length === 1 ? phrases : phrases.map((phrase) => `write ${index + 1}: ${phrase}`);
  });
}

/** As `changesOfCard`, of one write. */
export const changesOfWrite: Differences = (before, now) => [
  ...changesBetween(before.effect, now.effect),
  ...changesBetween(namesOf(before), namesOf(now)),
];

const namesOf = (write: WriteCard): Record<string, string> =>
  Object.fromEntries(SHOWN.map(([words, key]) => [words, write[key]]));

const isNamed = (write: WriteCard, kind: string, id: string): boolean =>
  write.others.some((other) => other.kind === kind && other.id === id);

function movementOfWrite(old: WriteCard, fresh: WriteCard): string {
  if (!hasMoved(old.currentValue, fresh.currentValue, 0)) return '';
  const shown = (value: string | null, unit: string) =>
    value === null ? 'not known' : quoted(unit === '' ? value : `${value} ${unit}`);
  const movement = `${shown(old.currentValue, old.unit)} to ${shown(fresh.currentValue, fresh.unit)}`;
  const band = fresh.deadband === null ? '' : ` (dead-band ${fresh.deadband})`;
  return `the current value moved from ${movement}${band}`;
}

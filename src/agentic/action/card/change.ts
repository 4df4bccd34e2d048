import { quoted } from '../../../core/sentence/voice.ts';
import { hasMoved } from '../../../manager/profile/deadband.ts';
import type { Card } from './card.ts';
import { changesBetween } from './effect.ts';

/** Fields that a confirmation relies on, besides effect and current value. */
const SHOWN = [
  ['the value to write', 'proposedValue'],
  ['the unit', 'unit'],
  ['the name of the device', 'deviceName'],
  ['the name of the point', 'pointName'],
] as const satisfies [string, keyof Card][];

/** Changes that make a confirmation of `old` void, one phrase each; the current value does not count. */
export const changesOfWrite = (old: Card, fresh: Card): string[] => [
  ...changesBetween(old.effect, fresh.effect),
  ...changesBetween(namesOf(old), namesOf(fresh)),
];

const namesOf = (card: Card): Record<string, string> =>
  Object.fromEntries(SHOWN.map(([words, key]) => [words, card[key]]));

/** Changes to look at again before confirming: of the write, the current value and other writes. */
export function changesOf(old: Card, fresh: Card): string[] {
  const isDrift = hasMoved(old.currentValue, fresh.currentValue, fresh.deadband);
  return [
    ...changesOfWrite(old, fresh),
    ...(isDrift ? [movementOf(old, fresh)] : []),
    ...fresh.others
      .filter(({ kind, id }) => kind !== 'PROPOSED' && !isNamed(old, kind, id))
      .map(({ kind, value }) =>
        kind === 'UNKNOWN'
          ? `a write of ${quoted(value)} to this point ended unknown`
          : `a write of ${quoted(value)} to this point is under way`,
      ),
  ];
}

const isNamed = (card: Card, kind: string, id: string): boolean =>
  card.others.some((other) => other.kind === kind && other.id === id);

/** How the current value moved, also within the dead-band; empty when it did not. */
export function movementOf(old: Card, fresh: Card): string {
  if (!hasMoved(old.currentValue, fresh.currentValue, 0)) return '';
  const shown = (value: string | null, unit: string) =>
    value === null ? 'not known' : quoted(unit === '' ? value : `${value} ${unit}`);
  const movement = `${shown(old.currentValue, old.unit)} to ${shown(fresh.currentValue, fresh.unit)}`;
  const band = fresh.deadband === null ? '' : ` (dead-band ${fresh.deadband})`;
  return `the current value moved from ${movement}${band}`;
}

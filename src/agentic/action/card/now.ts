import { amount, type Voice } from '../../../kernel/sentence/voice.ts';
import type { WriteView } from './card.ts';
import { isSame } from './notes.ts';
import type { PresentWrite } from './present.ts';

type Shown = Pick<WriteView, 'currentValue' | 'unit' | 'deviceStatus' | 'now'>;

/** What was asked for in another unit, so that a person sees both; empty where the value was given as it is. */
export const asked = (askedAs: string | undefined, voice: Voice): string =>
  askedAs === undefined ? '' : `, asked for as ${voice.text(askedAs, 40)}`;

/** The value of the point, with what the card showed where that is another or the present one was not read. */
export function valueOf({ currentValue, unit, now }: Shown, voice: Voice): string {
  const shown = (value: string | null): string =>
    value === null ? 'not known' : amount(value, unit, voice);
  if (now === null) return `${shown(currentValue)} when proposed`;
  if (now.value === null && currentValue === null) return 'now not known';
  const present =
    now.value === null ? 'not known now' : `now ${shown(now.value)}, ${now.age}${doubtOf(now)}`;
  return hasOtherValue({ currentValue, now })
    ? `${shown(currentValue)} when proposed; ${present}`
    : present;
}

/** Whether the present value is another than the card showed. */
export const hasOtherValue = ({
  currentValue,
  now,
}: Pick<Shown, 'currentValue' | 'now'>): boolean =>
  now !== null && (currentValue === null ? now.value !== null : !isSame(now.value, currentValue));

/** Empty for a good value, or none. */
export const doubtOf = ({ quality }: Pick<PresentWrite, 'quality'>): string =>
  quality === null || quality === 'GOOD' ? '' : `, of ${quality.toLowerCase()} quality`;

/** What is to be known of the device before a decision, as sentences; empty while it is online and was. */
export function deviceOf({ deviceStatus, now }: Pick<Shown, 'deviceStatus' | 'now'>): string {
  if (now === null)
    return deviceStatus === 'offline' ? ' The device was offline when proposed.' : '';
  if (now.neverConnected) return ' The device has never connected.';
  if (now.deviceStatus === 'offline') return ' The device is offline now.';
  return deviceStatus === 'offline'
    ? ' The device was offline when this was proposed; it is online now.'
    : '';
}

/** Status of the device of a write, in a word or two. */
export function statusOf({ deviceStatus, now }: Pick<Shown, 'deviceStatus' | 'now'>): string {
  if (now === null) return `${deviceStatus} when proposed`;
  return now.neverConnected ? 'never connected' : now.deviceStatus;
}

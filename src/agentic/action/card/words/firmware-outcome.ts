import { counted } from '../../../../kernel/sentence/counted.ts';
import { byId, moment, type Voice } from '../../../../kernel/sentence/voice.ts';
import type { RolloutState, FirmwareView } from '../../kind/firmware-card.ts';
import { rolloutEnd } from '../../kind/rollout-state.ts';
import type { ActionStatus } from '../../kind/status.ts';
import { leftOutWords, noteWords } from './firmware-words.ts';

/** Devices that a sentence names; the card has all. */
const MAX_NAMED = 5;

/** How the other kinds say the same of themselves. */
export type Around = {
  status: ActionStatus;
  expiresAt: string;
  /** “confirmed by …”. */
  confirmed: string;
  /** Why it was not confirmed. */
  undone: string;
  /** What the card notes besides the roll-out, each with a blank before it. */
  notes: string;
};

/** What is known of a roll-out that is proposed, under way or over, in one sentence. */
export function sayRollout(firmware: FirmwareView, around: Around, voice: Voice): string {
  const { status, expiresAt, notes } = around;
  if (status === 'PENDING' || status === 'PARTIALLY_CONFIRMED') {
    const forWhom =
      status === 'PENDING'
        ? 'it waits for a human to confirm it'
        : 'one human confirmed it, it waits for another';
    return (
      `Roll ${packageOf(firmware, voice)} out to ${devicesOf(firmware, voice)}, ${firmware.waveSize} at a time. ` +
      `Not executed: ${forWhom} until ${moment(expiresAt)}.${leftOut(firmware, voice)}${noted(firmware, voice)}${notes}`
    );
  }
  if (status === 'REJECTED' || status === 'WITHDRAWN' || status === 'EXPIRED')
    return `${packageOf(firmware, voice)} was not rolled out to ${devicesOf(firmware, voice)}: ${around.undone}. Nothing was sent.`;
  const { receipt } = firmware;
  const what = `${packageOf(firmware, voice)} on ${counted(firmware.devices.length, 'device')}, ${around.confirmed}`;
  return receipt === null ? `${what}: not begun yet.` : `${what}: ${progress(receipt, voice)}`;
}

const packageOf = ({ packageName, packageVersion }: FirmwareView, { text }: Voice): string =>
  text(`${packageName} ${packageVersion}`, 130);

const nameOf = (
  { deviceId, deviceName }: { deviceId: string; deviceName: string },
  voice: Voice,
): string => (voice === byId ? `device ${deviceId}` : voice.text(deviceName, 48));

function devicesOf({ devices }: FirmwareView, voice: Voice): string {
  const named = devices.slice(0, MAX_NAMED).map((device) => nameOf(device, voice));
  const more = devices.length - named.length;
  return `${counted(devices.length, 'device')} (${named.join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
}

function leftOut(firmware: FirmwareView, voice: Voice): string {
  const { leftOut: left } = firmware;
  if (left.length === 0) return '';
  const named = left
    .slice(0, MAX_NAMED)
    .map((one) => `${nameOf(one, voice)} (${leftOutWords(one, firmware, voice)})`);
  const more = left.length - named.length;
  return ` Left out: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

const noted = (firmware: FirmwareView, voice: Voice): string =>
  firmware.notes.map((note) => ` ${noteWords(note, firmware, voice)}`).join('');

/** How many devices are how far, and which of them did not come to the version. */
function progress(state: RolloutState, voice: Voice): string {
  const { status, held, why, counts, troubled } = state;
  // What stopped it is of no account once every device has come to the version.
  const isStopped = status === 'STOPPED' && why !== '' && rolloutEnd(state) !== 'EXECUTED';
  const part = (count: number, words: string): string[] => (count > 0 ? [`${count} ${words}`] : []);
  const parts = [
    ...part(counts.verified, counts.verified === 1 ? 'runs it' : 'run it'),
    ...part(counts.underWay, 'under way'),
    ...part(counts.waiting, 'not begun yet'),
    ...part(counts.failed, 'failed'),
    ...part(
      counts.mismatch,
      counts.mismatch === 1 ? 'runs another version' : 'run another version',
    ),
    ...part(counts.unknown, 'of which it is not known'),
    ...part(counts.cancelled, 'not begun, nothing was sent'),
  ];
  const named = troubled.slice(0, MAX_NAMED).map((one) => {
    const about = one.message === '' ? '' : `, ${voice.text(one.message, 200)}`;
    return `${nameOf(one, voice)} (${one.status}${about})`;
  });
  return [
    `${parts.join(', ')}.`,
    ...(named.length > 0 ? [`${named.join('; ')}.`] : []),
    ...(isStopped ? [`It stopped: ${voice.text(why, 200)}.`] : []),
    ...(status === 'PAUSED' ? ['It is paused.'] : []),
    ...(held === ''
      ? []
      : [`It is held: ${voice.text(held, 240)}; it goes on once they may write.`]),
  ].join(' ');
}

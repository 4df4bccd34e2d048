import type { Voice } from '../../../kernel/sentence/voice.ts';
import type { FirmwareView } from '../kind/firmware-card.ts';
import { leftOutWords, noteWords } from './firmware-words.ts';

/** A chat shows no more lines; the review page has all. */
const MAX_LINES = 20;

/** The card of a roll-out as lines of a list. */
export function linesOfFirmware(firmware: FirmwareView, voice: Voice): string[] {
  const { text } = voice;
  const { devices, leftOut, packageName, packageVersion, sha256, size } = firmware;
  return [
    `- Firmware: **${text(packageName, 64)}**, version **${text(packageVersion, 64)}**, ${size} bytes`,
    sha256 === null
      ? '- SHA-256: not known, the devices fetch it by themselves'
      : `- SHA-256: \`${sha256}\``,
    `- Waves of ${firmware.waveSize}, stops at ${firmware.failurePercent} % failures, ${firmware.minutes} min for each device`,
    `- Devices: ${devices.length}`,
    ...cut(
      devices.map(
        (device, index) =>
          `  ${index + 1}. ${text(device.deviceName, 48)} (${device.deviceStatus}), endpoint ${text(device.endpoint, 64)}, ` +
          `${securityOf(device, voice)}, runs ${device.versionNow === null ? 'a version that is not known' : text(device.versionNow, 64)}`,
      ),
      devices.length,
    ),
    ...(leftOut.length === 0 ? [] : [`- Left out: ${leftOut.length}`]),
    ...cut(
      leftOut.map(
        (one) => `  - ${text(one.deviceName, 48)}: ${leftOutWords(one, firmware, voice)}`,
      ),
      leftOut.length,
    ),
    ...firmware.notes.map((note) => `- Note: ${noteWords(note, firmware, voice)}`),
  ];
}

function securityOf(
  { security, keyIdentity }: FirmwareView['devices'][number],
  { text }: Voice,
): string {
  if (security === 'UNKNOWN') return 'its security is not known';
  return security === 'PSK' ? `key of ${text(keyIdentity, 64)}` : 'not authenticated';
}

const cut = (lines: readonly string[], count: number): string[] => [
  ...lines.slice(0, MAX_LINES),
  ...(count > MAX_LINES ? [`  - and ${count - MAX_LINES} more`] : []),
];

import { inZone } from '../../kernel/sentence/time-zone.ts';
import { amount, byName, quoted } from '../../kernel/sentence/voice.ts';
import type { Cause, Circumstances, Silence } from './silence.ts';

const MAX_SAID = 160;
const MAX_NAME = 64;

type Given = Circumstances & Pick<Silence, 'said'> & { at: string | null };

/** What to do about an answer of the device, by its code (RFC 7252 5.9). */
const STEPS: readonly (readonly [RegExp, string])[] = [
  [/4\.0[13]/, 'give the server the right to read it at the device'],
  [/4\.04/, 'correct the path of the point'],
  [/4\.05/, 'correct the path of the point, or make it write-only'],
  [/4\.(06|15)/, 'check the formats that the device speaks'],
  [/5\.\d\d/, 'look at the device itself'],
];

const said = ({ said: words }: Given): string => quoted(words ?? '', MAX_SAID);
/** In brackets, where its driver has something to say. */
const aside = (given: Given): string => (given.said === null ? '' : ` (${said(given)})`);
const since = ({ at }: Given): string => (at === null ? '' : ` since ${at}`);
const driver = ({ driver: { code } }: Given): string => `driver ${quoted(code, MAX_NAME)}`;
const every = ({ intervalMs }: Given): string => `every ${intervalMs / 1000} s`;
const READ = 'read it now to see what the device answers';

/** One sentence for each cause: what is known, and the next step. */
const sentences: Readonly<Record<Cause, (given: Given) => string>> = {
  ARRIVING: ({ latest }) =>
    latest ? `values arrive; the latest is ${latest.ageS} s old` : 'values arrive',
  DEVICE_DISABLED: () => 'device disabled; enable it',
  PROFILE_DISABLED: () => 'the profile of the device is disabled; enable it',
  DRIVER_DISABLED: () => 'the driver of the device is disabled; enable it',
  POINT_DISABLED: () => 'the point is disabled; enable it',
  WRITE_ONLY: () =>
    'the point is write-only; if the device can be asked for it, change its access (rwFlag)',
  NOTHING_RECEIVED: (given) =>
    `the platform receives nothing of any driver${since(given)}; check its message bus`,
  DRIVER_UNDECLARED: (given) =>
    `no program has registered as ${driver(given)}; start it, or give the device another driver`,
  DRIVER_GONE: (given) =>
    `no node of ${driver(given)} is heard${since(given)}; start one, or check its connection to the message bus`,
  NOT_REPORTED: (given) =>
    `${driver(given)} runs, but has not reported the device${since(given)}; if it does not within 45 s, see the log of the driver`,
  NODE_GONE: (given) =>
    `the node of ${driver(given)} that served the device is not heard${since(given)}; restart it, or let the device register anew`,
  OTHER_ENDPOINT: (given) =>
    `device not registered, but ${said(given)} came with its key and was refused, probably this device under another name; claim that endpoint, or correct it at the device`,
  NEVER_CONNECTED: (given) =>
    `device never connected${aside(given)}; check its power, network, server address${given.endpoint === null ? '' : ` and that it registers as ${quoted(given.endpoint, MAX_NAME)}`}`,
  OFFLINE: (given) =>
    `device offline${since(given)}${aside(given)}; check its power, network and server address`,
  ASLEEP: (given) =>
    `device sleeps until it reports${aside(given)}, and is read then; wait for it, or let it report more often`,
  UNANSWERED: (given) =>
    `device online, but its last read failed (${said(given)}); check its network, and whether it sleeps`,
  VALUE_DUE: (given) => `device online, no value yet; wait for one until ${given.at ?? ''}`,
  NOT_READ: (given) =>
    `device online, but nothing was read of the point${since(given)}, although one value is expected ${every(given)}; ${READ}`,
  OVERDUE: (given) => `overdue: one value is expected ${every(given)}; ${READ}`,
  REFUSED: (given) => `the device refused the read (${said(given)}); ${stepAfter(given)}`,
  FORMAT: (given) =>
    `the answer of the device was not understood${aside(given)}; check the type and path of the point`,
  NO_VALUE: (given) =>
    `the driver got no value of the point (${said(given)}); check the attributes of the point`,
  SCALING: (given) =>
    `the device answered ${said(given)}, not of the type ${given.type}; check the type and path of the point`,
  UNFIT: (given) =>
    `the device answered ${said(given)}, which does not fit a ${given.type}; check the type and scaling of the point`,
  MARKED_BAD: (given) =>
    `the driver marked the value ${said(given)} as bad; check the type and scaling of the point`,
  DOUBT: (given) => `the value is in doubt (${said(given)}); look at the alarms of the device`,
  TIME_AHEAD: () =>
    'the time of the device lay ahead, so the value has the time of reception; set the clock of the device',
  RANGE: (given) =>
    `the value arrives, but is outside ${rangeOf(given)}; check the scaling of the point, and its range`,
};

/** Begins in lower case, to follow a colon; `zone`: IANA name. */
export function sentenceOf({ at, ...found }: Silence, of: Circumstances, zone: string): string {
  return sentences[found.cause]({ ...of, ...found, at: at === null ? null : inZone(at, zone) });
}

function stepAfter({ said: words, unregistered }: Given): string {
  const text = words ?? '';
  const [, step = 'check the path of the point'] = STEPS.find(([code]) => code.test(text)) ?? [];
  if (unregistered === null || !/4\.04/.test(text)) return step;
  return `${step}: the device did not register ${unregistered}`;
}

function rangeOf({ range: { min, max }, unit }: Given): string {
  const [low, high] = [min, max].map((limit) =>
    limit === null ? null : amount(String(limit), unit, byName),
  );
  if (min === null) return `its range up to ${high}`;
  if (max === null) return `its range from ${low}`;
  return `its range of ${min} to ${high}`;
}

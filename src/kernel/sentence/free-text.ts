import { isOrder } from './order.ts';

/** Why a command ended or a reading failed, of the platform and its drivers. */
const ENDS = [
  'the driver node that serves this device is away; nothing was sent to the device',
  'no driver takes commands for this device now',
  'the message bus was not there: nothing was sent',
  'too many commands are waiting',
  'the command expired before it was (?:sent|executed)',
  'the driver did not come back in time',
  'the driver failed',
  'the driver stopped while the command was under way',
  'the driver does not know this device',
  'the driver knows another configuration of the device or point: nothing was written',
  'another driver node serves the device now; nothing was sent to the device',
  'the device slept until the time of the command was over: nothing was sent to it',
  'too many commands wait for the device to wake; nothing was sent to it',
  'the command was handed out before and may have been executed then; it was not executed again',
  'the command does not say what it was checked to do: nothing was written',
  'the device accepted the write and holds another value',
  'what the device (?:said|reads back) is not a value of (?:this|the) point',
  'the device did not answer in time',
  'the device is disabled',
  'the device has no such (?:point|command)',
  'the point is (?:read|write)-only',
  String.raw`the device answered \d\.\d\d`,
  'the exchange ended: [a-z]{1,20}',
];

/** What a driver says of a device that is registered or not. */
const STATES = [
  String.raw`registered, LwM2M \d\.\d(?:, queue mode, (?:awake|asleep until it reports))?`,
  'registered, but (?:its DTLS session is over|another device is at its address now)',
  'not registered any more: it left, or did not renew its registration in time',
  '(?:not registered: |registered, LwM2M 1.[0-2]; )trustedNetworks is no list of networks',
  'not registered: (?:the endpoint belongs to another device|pskIdentity is missing|pskKey is missing)',
  'not registered: securityMode is (?:PSK: the device has to come over DTLS|neither NOSEC nor PSK: the device is refused)',
];

/** Why a roll-out of firmware ended. */
const ROLLOUTS = [
  String.raw`\d+ of the \d+ devices begun (?:failed|did not come to the version in time), which is \d+ % or more`,
  'No person decided in time',
];

/** Names of imports of values, and of their undoing; lists cut them. */
const IMPORTS = [String.raw`(?:Import of )?\d+ values?, [\dTZ:.-]{1,24}(?: – [\dTZ:.-]{0,24})?…?`];

/** UUIDs, OAuth clients, prefixes of keys. */
const IDS = [
  '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}',
  '(?:svc|dyn)_(?:[0-9a-f]{24}|[0-9a-f]{32})',
  'svc_[a-z]{2,8}_[A-Za-z0-9_-]{8}',
];

const READ_BACK = `the write was not read back: [A-Z][A-Z0-9_]{0,63}, (?:${ENDS.join('|')})`;
const OWN = new RegExp(
  `^(?:${[...ENDS, READ_BACK, ...STATES, ...ROLLOUTS, ...IMPORTS, ...IDS].join('|')})$`,
);

/** Whether a text in a field of others is of the platform, word for word: a sentence or an id that it wrote there itself. */
const isOwn = (text: string): boolean => OWN.test(text);

/** Longer texts than these are no names; a device says a state or a code, not a phrase. */
export const NAME_WORDS = 6;
export const DEVICE_WORDS = 2;

/** A run of letters, also within `camelCase` and `snake_case`; of scripts without blanks, two characters. */
const WORD =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}]{1,2}|\p{Lu}?[\p{Ll}\p{M}]+|[\p{L}\p{M}]+/gu;
/** The end of a sentence or of a cut text, an address, markup. */
const SIGN = /[.!?;:](?=\s)|[!?;:…]$|[。！？；：]|\p{L}{2}\.$|:\/\/|\bwww\.|[<>`]/u;

/**
 * Whether a text could instruct a reader: by its form, more than `words` words or a sign of sentences, addresses or markup,
 * in any language; a shorter one by an order in its words. What is left is taken for a name.
 */
export const isFree = (text: string, words: number): boolean =>
  (SIGN.test(text) || (text.match(WORD)?.length ?? 0) > words || isOrder(text)) && !isOwn(text);

/** The texts in quotation marks (`quoted`), which are all that a sentence of the platform has from others. */
export const quotationsIn = (sentence: string): string[] =>
  Array.from(sentence.matchAll(/“([^”]*)”?/g), ([, text = '']) => text);

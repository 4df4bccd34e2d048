import { clean } from './visible.ts';

const MAX_NAME = 48;
const MAX_VALUE = 64;
export const MAX_UNIT = 16;

type Named = { deviceId: string; deviceName: string; pointId: string; pointName: string };

/** How names and texts of tenants and devices appear in sentences of the platform. */
export type Voice = {
  /** Names the point of a sentence. */
  subject(of: Named): string;
  /** Renders a text that is neither a number nor a known unit. */
  text(given: string, max: number): string;
  /** Renders a sentence of the platform, in which the texts of others are quoted already. */
  sentence(given: string, max: number): string;
};

/** Quotation marks within become apostrophes: the text cannot end its quotation and pass for ours. */
export const quoted = (given: string, max: number = MAX_NAME): string =>
  `“${clean(given, max).replaceAll(/(?!')[\p{Quotation_Mark}″❝❞]/gu, "'")}”`;

/** For users and agents: names in quotation marks. */
export const byName: Voice = {
  subject: ({ deviceName, pointName }) => `${quoted(pointName)} of ${quoted(deviceName)}`,
  text: quoted,
  sentence: (given, max) => (isWhole(given) ? cutSentence(given, max) : quoted(given, max)),
};

/** For text with instructions, such as a model's system message: ids and numbers only. */
export const byId: Voice = {
  subject: ({ deviceId, pointId }) => `point ${pointId} of device ${deviceId}`,
  text: () => '(text)',
  sentence: (given, max) =>
    isWhole(given) ? cutSentence(given, max).replaceAll(/“[^”]*”/g, '(text)') : '(text)',
};

/** Whether each quotation ends, and none ends that did not begin: else it is no sentence of the platform. */
const isWhole = (given: string): boolean => !/[“”]/.test(given.replaceAll(/“[^“”]*”/g, ''));

/** A quotation that would be cut is left out. */
export function cutSentence(given: string, max: number): string {
  const cut = clean(given, max);
  const open = cut.lastIndexOf('“');
  return open > cut.lastIndexOf('”') ? `${cut.slice(0, open)}…` : cut;
}

const NUMBER = /^(?:true|false|[+-]?\d{1,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,4})?)$/i;
const SYMBOL =
  '(?:[pnµμmcdhkMGT]?(?:g|m|s|A|K|mol|cd|Hz|N|Pa|J|W|C|V|F|Ω|S|T|Wb|H|lm|lx|Bq|Gy|Sv|l|L|t|bar|eV|Wh|VA|VAh|var|B)' +
  '|min|h|d|°C|°F|°|%|‰|%RH|ppm|ppb|pH|rpm|dB|dBm|dBA|psi|mmHg|NTU|in|ft)(?:[²³]|⁻[¹²³])?';
/** SI and everyday units; any other unit is rendered as a text. */
const UNIT = new RegExp(`^${SYMBOL}(?:[/·]${SYMBOL})?$`, 'u');

/** A value in its unit: numbers unchanged, other text as the voice renders it. */
export function amount(value: string, unit: string, { text }: Voice): string {
  const shown = NUMBER.test(value) ? value : text(value, MAX_VALUE);
  if (unit.trim() === '') return shown;
  return `${shown} ${UNIT.test(unit) ? unit : text(unit, MAX_UNIT)}`;
}

/** A time to the second, in UTC. */
export const moment = (iso: string): string => iso.replace(/\.\d+Z$/, 'Z');

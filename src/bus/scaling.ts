import * as decimal from '../kernel/decimal.ts';
import { storable } from '../kernel/input/text.ts';
import { type AttributeType, Quality } from './topic/topics.ts';

/** A reading in the point's own unit, as in `svc.e.value`. */
export type ScaledValue = {
  rawValue: string;
  calValue: string;
  numValue: number | null;
  quality: (typeof Quality)[keyof typeof Quality];
};

/** How the raw values of a point become values in its own unit. */
export type Scaling = { type: AttributeType; base: number; multiple: number; decimals: number };

/** No raw value of the point gives the wanted one. */
export class NoRawValue extends Error {
  override readonly name = 'NoRawValue';
}

/** Limit of the message schema for the text of a value. */
const MAX_TEXT = 4096;
/** Enough places for a division to give the same double after scaling back. */
const DIVISION_PLACES = 20;

const ranges: Partial<Record<AttributeType, readonly [bigint, bigint]>> = {
  BYTE: [-128n, 127n],
  SHORT: [-32_768n, 32_767n],
  INT: [-2_147_483_648n, 2_147_483_647n],
  LONG: [-9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n],
};
const largest: Partial<Record<AttributeType, number>> = {
  FLOAT: 3.402_823_466_385_288_6e38,
  DOUBLE: Number.MAX_VALUE,
};
const booleans: Record<string, '1' | '0'> = { true: '1', '1': '1', false: '0', '0': '0' };

/**
 * raw × multiple + base in exact decimal arithmetic (docs/specification/values.md, Scaling). A raw value
 * that contradicts the point's type or range comes back unscaled with quality BAD, never as an error.
 */
export function scale(point: Scaling, raw: string): ScaledValue {
  const rawValue = storable(raw.slice(0, MAX_TEXT));
  const bad = { rawValue, calValue: rawValue, numValue: null, quality: Quality.BAD };
  if (point.type === 'STRING')
    return raw.length > MAX_TEXT ? bad : { ...bad, quality: Quality.GOOD };
  if (point.type === 'BOOLEAN') {
    const bit = booleans[rawValue.trim().toLowerCase()];
    if (bit === undefined) return bad;
    return {
      rawValue,
      calValue: bit === '1' ? 'true' : 'false',
      numValue: Number(bit),
      quality: Quality.GOOD,
    };
  }
  if (isAsItIs(point, rawValue))
    return { rawValue, calValue: rawValue, numValue: Number(rawValue), quality: Quality.GOOD };
  const parsed = decimal.parseDecimal(rawValue);
  if (!parsed) return bad;
  const multiplied =
    point.multiple === 1 ? parsed : decimal.multiply(parsed, exactly(point.multiple));
  const scaled = point.base === 0 ? multiplied : decimal.add(multiplied, exactly(point.base));
  const calValue = fit(point, scaled);
  if (calValue === null) return bad;
  return { rawValue, calValue, numValue: Number(calValue), quality: Quality.GOOD };
}

/** Whether a raw value is its own scaled one, as most are; false also where that takes more to see. */
function isAsItIs(point: Scaling, rawValue: string): boolean {
  if (point.multiple !== 1 || point.base !== 0 || !decimal.isPlain(rawValue)) return false;
  const dot = rawValue.indexOf('.');
  const range = ranges[point.type];
  if (!range) return dot === -1 || rawValue.length - 1 - dot <= placesOf(point);
  const number = Number(rawValue);
  return dot === -1 && number >= range[0] && number <= range[1];
}

/**
 * The raw text that scales to `value`, for a write; throws `NoRawValue` when the value
 * is not of the point's type, out of range, or no raw value scales to it.
 */
export function unscale(point: Scaling, value: string): string {
  if (point.type === 'STRING') return value;
  if (point.type === 'BOOLEAN') {
    const bit = booleans[value.trim().toLowerCase()];
    if (bit === undefined) throw new NoRawValue('the value is not true or false');
    return bit === '1' ? 'true' : 'false';
  }
  const wanted = decimal.parseDecimal(value);
  if (!wanted || fit({ ...point, decimals: wanted.scale }, wanted) === null)
    throw new NoRawValue(`the value is not in the range of the type ${point.type}`);
  const multiple = exactly(point.multiple);
  if (multiple.digits === 0n)
    throw new NoRawValue('the point has multiple 0: nothing can be written to it');
  const raw = decimal.divide(
    decimal.subtract(wanted, exactly(point.base)),
    multiple,
    DIVISION_PLACES,
  );
  if (!(point.type in ranges)) return decimal.format(raw);
  // An integer point takes only an integer that scales back to exactly this value.
  const scaledBack = decimal.add(decimal.multiply(raw, multiple), exactly(point.base));
  if (!decimal.isInteger(raw) || decimal.subtract(scaledBack, wanted).digits !== 0n)
    throw new NoRawValue('no raw value scales to this value');
  return decimal.format(raw);
}

/** The text of a number for the point's type, or null when the type cannot hold it. */
function fit(point: Scaling, value: decimal.Decimal): string | null {
  const range = ranges[point.type];
  if (range) {
    if (!decimal.isInteger(value)) return null;
    const whole = BigInt(decimal.format(value));
    return whole < range[0] || whole > range[1] ? null : whole.toString();
  }
  const text = decimal.format(decimal.round(value, placesOf(point)));
  return Math.abs(Number(text)) <= (largest[point.type] ?? Number.MAX_VALUE) ? text : null;
}

const placesOf = ({ decimals }: Scaling): number => Math.min(Math.max(decimals, 0), 30);

function exactly(setting: number): decimal.Decimal {
  // The shortest decimal text of a setting counts: 0.1 means 0.1, not the double nearest to it.
  return decimal.parseDecimal(String(setting)) ?? { digits: 0n, scale: 0 };
}

/** An exact decimal number: `digits × 10^-scale`, scale never negative. */
export type Decimal = { digits: bigint; scale: number };

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;
/** What `format` writes, of at most 15 digits on each side. */
const PLAIN = /^(?!-0$)-?(?:0|[1-9]\d{0,14})(?:\.\d{0,14}[1-9])?$/;
/** Covers every double (1.8e308 … 5e-324 with 17 digits); longer text is not accepted as a number. */
const MAX_DIGITS = 400;

/** Whether a text is the one that `format` writes of its number; only short ones count. */
export const isPlain = (text: string): boolean => PLAIN.test(text);

/** The number that a text spells (`-1.5e3`, `.5`); null for other text and beyond `MAX_DIGITS`. */
export function parseDecimal(text: string): Decimal | null {
  const match = DECIMAL.exec(text.trim());
  if (!match) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  if (whole.length + fraction.length === 0 || whole.length + fraction.length > MAX_DIGITS)
    return null;
  const scale = fraction.length - Number(exponent);
  if (Math.abs(scale) > MAX_DIGITS) return null;
  const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { digits: rescale(a, scale) + rescale(b, scale), scale };
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, { digits: -b.digits, scale: b.scale });
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale };
}

/** `a ÷ b` rounded half away from zero to `scale` places; `b` must not be zero. */
export function divide(a: Decimal, b: Decimal, scale: number): Decimal {
  const up = scale - a.scale + b.scale;
  const numerator = up >= 0 ? a.digits * 10n ** BigInt(up) : a.digits;
  const denominator = up >= 0 ? b.digits : b.digits * 10n ** BigInt(-up);
  return { digits: divideRounded(numerator, denominator), scale };
}

/** Rounded half away from zero to at most `places` decimals. */
export function round(value: Decimal, places: number): Decimal {
  if (value.scale <= places) return value;
  const digits = divideRounded(value.digits, 10n ** BigInt(value.scale - places));
  return { digits, scale: places };
}

export function isInteger(value: Decimal): boolean {
  return value.digits % 10n ** BigInt(value.scale) === 0n;
}

/** Plain notation without needless zeros: `21.5`, `-0.003`, `40`. */
export function format({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).replace(/0+$/, '');
  return sign + (fraction === '' ? whole : `${whole}.${fraction}`);
}

function rescale(value: Decimal, scale: number): bigint {
  return value.digits * 10n ** BigInt(scale - value.scale);
}

function divideRounded(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const n = numerator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  const rounded = (2n * n + d) / (2n * d);
  return negative ? -rounded : rounded;
}

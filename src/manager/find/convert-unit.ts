import { spellingsOf } from './unit.ts';

/** A value in the first unit of its quantity is `factor × value + offset`. */
type Scale = number | readonly [factor: number, offset: number];

/** Symbols are told apart by case: `mW` is no `MW`. */
const QUANTITIES: readonly Readonly<Record<string, Scale>>[] = [
  { '°C': 1, '°F': [5 / 9, -160 / 9], K: [1, -273.15] },
  { Pa: 1, hPa: 100, mbar: 100, kPa: 1e3, bar: 1e5, MPa: 1e6, psi: 6_894.757_293_168 },
  { W: 1, kW: 1e3, MW: 1e6 },
  { Wh: 1, kWh: 1e3, MWh: 1e6, J: 1 / 3_600, kJ: 1 / 3.6, MJ: 1_000 / 3.6 },
  { 'm3/h': 1, 'm3/s': 3_600, 'l/s': 3.6, 'l/min': 0.06, 'l/h': 0.001 },
  { l: 1, ml: 0.001, m3: 1_000 },
  { m: 1, mm: 0.001, cm: 0.01, km: 1_000, in: 0.0254, ft: 0.3048 },
  { s: 1, ms: 0.001, min: 60, h: 3_600, d: 86_400 },
  { A: 1, mA: 0.001, kA: 1e3 },
  { V: 1, mV: 0.001, kV: 1e3 },
  { Hz: 1, kHz: 1e3, MHz: 1e6, '1/min': 1 / 60 },
];

const SYMBOLS = new Map(
  QUANTITIES.flatMap((units) => Object.keys(units).map((symbol) => [symbol, units] as const)),
);

/** The symbol of the table that a text spells; the text itself where there is none. */
function symbolOf(text: string): string {
  const plain = text.trim().replaceAll('³', '3').replaceAll('^', '').replaceAll('L', 'l');
  if (SYMBOLS.has(plain)) return plain;
  // Words and old signs of one unit, none of which another unit has in another case.
  const spelled = spellingsOf(text);
  return (
    SYMBOLS.keys().find((symbol) => spelled.length > 2 && spelled.includes(symbol.toLowerCase())) ??
    plain
  );
}

/** `mW` and `MW`, `Mbar` and `mbar`: in another case a prefix is another one. */
const isOtherPrefix = (one: string, other: string): boolean => one !== other && /^m/i.test(one);

/**
 * A number in one unit as a number in another; null where they are not of one quantity, or one of them is not known. The
 * same unit in another spelling changes nothing.
 */
export function convert(value: number, from: string, to: string): number | null {
  const [given, wanted] = [symbolOf(from), symbolOf(to)];
  if (given === wanted) return value;
  const units = SYMBOLS.get(given);
  if (units && Object.hasOwn(units, wanted)) {
    const [a, b] = [scaleOf(units[given]), scaleOf(units[wanted])];
    return (a[0] * value + a[1] - b[1]) / b[0];
  }
  if (SYMBOLS.has(given) && SYMBOLS.has(wanted)) return null;
  const isSame =
    spellingsOf(to).includes(from.trim().toLowerCase()) && !isOtherPrefix(given, wanted);
  return isSame ? value : null;
}

const scaleOf = (scale: Scale = 1): readonly [number, number] =>
  typeof scale === 'number' ? [scale, 0] : scale;

const MEASURE = /^([+-]?\d{1,15}(?:\.\d{1,15})?)\s?([^\d\s.,:;+-][^,;:]{0,23})$/u;

/** A number with its unit, as `70 °F`; null for any other text. */
export function measureIn(text: string): { value: number; unit: string } | null {
  const [, value, unit] = MEASURE.exec(text.trim()) ?? [];
  return value === undefined || unit === undefined ? null : { value: Number(value), unit };
}

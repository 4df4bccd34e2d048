/** Spellings of one unit, in lower case. */
const SAME: readonly (readonly string[])[] = [
  ['°c', '℃', 'c', 'degc', 'deg c', 'celsius', 'degrees celsius', 'degree celsius', 'grad celsius'],
  ['°f', '℉', 'f', 'degf', 'deg f', 'fahrenheit', 'degrees fahrenheit'],
  ['%', 'percent', 'pct', 'per cent', 'prozent'],
  ['1/min', 'rpm', 'r/min', 'rev/min', 'min-1', 'min⁻¹', 'u/min'],
  ['l', 'litre', 'liter', 'litres', 'liters'],
  ['s', 'sec', 'second', 'seconds'],
  ['h', 'hr', 'hour', 'hours'],
  ['m3/h', 'cubic meters per hour', 'cubic metres per hour'],
  ['ω', 'ohm', 'ohms'],
];

/** With plain digits and letters: `m³/h` and `m^3/h` are `m3/h`, both signs of micro are `u`. */
const plain = (unit: string): string =>
  unit
    .trim()
    .toLowerCase()
    .replace(/\s*([/·*])\s*/g, '$1')
    .replaceAll('*', '·')
    .replaceAll('^', '')
    .replace(/^°\s+/, '°')
    .replace(/^cbm\b/, 'm3')
    .replace(/\/(?:hour|hr)$/, '/h')
    .replace(/\/(?:second|sec)$/, '/s')
    .replace(/\/minute$/, '/min')
    .replaceAll('²', '2')
    .replaceAll('³', '3')
    .replace(/[µμ]/g, 'u');

/** The usual spellings of a unit, in lower case, the given one among them. */
export function spellingsOf(unit: string): string[] {
  const given = plain(unit);
  const same = SAME.find((spellings) => spellings.includes(given)) ?? [given];
  const raised = same.map((text) =>
    text.replace(/(?<=m)([23])/g, (digit) => (digit === '2' ? '²' : '³')),
  );
  const all = [unit.trim().toLowerCase(), ...same, ...raised];
  const micro = all.flatMap((text) => [text.replaceAll('u', 'µ'), text.replaceAll('u', 'μ')]);
  return [...new Set([...all, ...(given.startsWith('u') ? micro : [])])];
}

/** The shortest text of a 32-bit float: 21.3, not 21.299999237060547, so that a read-back can match. */
export function shortest(value: number): string {
  for (let digits = 1; digits < 9; digits += 1) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(value);
}

/** A number of things in English: `1 alarm`, `2 alarms`. */
export const counted = (count: number, noun: string): string =>
  count === 1 ? `1 ${noun}` : `${count} ${noun}s`;

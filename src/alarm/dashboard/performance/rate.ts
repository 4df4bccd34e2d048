/** EEMUA 191, alarms in ten minutes on the average: 1 very likely acceptable, 2 manageable, 10 likely over-demanding. */
export const RATINGS = ['ACCEPTABLE', 'MANAGEABLE', 'OVER_DEMANDING', 'UNACCEPTABLE'] as const;
const UP_TO = [1, 2, 10] as const;
/** ISA-18.2: a flood begins with a period of more than 10 alarms and ends before one of less than 5. */
const FLOOD_BEGINS = 10;
const FLOOD_ENDS = 5;

export function rating(mean: number): (typeof RATINGS)[number] {
  const place = UP_TO.findIndex((most) => mean <= most);
  return RATINGS[place] ?? 'UNACCEPTABLE';
}

type Rates = {
  total: number;
  /** Alarms in a period. */
  mean: number;
  worst: { count: number; period: number | null };
  floods: number;
  /** Of the periods. */
  floodShare: number;
};

/** `counts`: alarms of the periods that have any, in their order; `periods`: how many there are with the others. */
export function ratesOf(
  counts: readonly (readonly [period: number, count: number])[],
  periods: number,
): Rates {
  let [total, floods, flooded] = [0, 0, 0];
  let worst: Rates['worst'] = { count: 0, period: null };
  /** The last period of a flood that goes on. */
  let floodAt: number | null = null;
  for (const [period, count] of counts) {
    total += count;
    if (count > worst.count) worst = { count, period };
    const goesOn: boolean = floodAt === period - 1 && count >= FLOOD_ENDS;
    if (!goesOn && count > FLOOD_BEGINS) floods += 1;
    const isFlood: boolean = goesOn || count > FLOOD_BEGINS;
    if (isFlood) flooded += 1;
    floodAt = isFlood ? period : null;
  }
  return { total, mean: total / periods, worst, floods, floodShare: flooded / periods };
}

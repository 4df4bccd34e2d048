/**
 * Edits from one word to the other, neighbours swapped counting as one (optimal string alignment); `max + 1` when
 * there are more than `max`.
 */
export function distance(from: string, to: string, max: number): number {
  if (Math.abs(from.length - to.length) > max) return max + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    let least = row;
    for (let at = 1; at <= to.length; at += 1) {
      const isSame = from[row - 1] === to[at - 1];
      let cost = Math.min(
        cell(last, at) + 1,
        cell(next, at - 1) + 1,
        cell(last, at - 1) + (isSame ? 0 : 1),
      );
      if (row > 1 && at > 1 && from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1])
        cost = Math.min(cost, cell(beforeLast, at - 2) + 1);
      next.push(cost);
      least = Math.min(least, cost);
    }
    if (least > max) return max + 1;
    beforeLast = last;
    last = next;
  }
  return Math.min(cell(last, to.length), max + 1);
}

const cell = (row: readonly number[], at: number): number => row[at] ?? Number.POSITIVE_INFINITY;

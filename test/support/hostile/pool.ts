/** Runs `work` `count` times, `width` at once; stops early when `until` (performance.now) is over. */
export async function inParallel(
  count: number,
  width: number,
  work: (index: number) => Promise<void>,
  until = Number.POSITIVE_INFINITY,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count && performance.now() < until) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
}

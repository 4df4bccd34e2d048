import { z } from 'zod';

/** So many batches of so many values each, to be stored now: of the first so many points, else of all. */
export const Question = z.object({
  batches: z.number(),
  size: z.number(),
  points: z.number().optional(),
});

/** Stored values per second, and microseconds of CPU per value of all threads of the process. */
export const Figures = z.object({ rate: z.number(), cpu: z.number() });

/** Runs the batches of each question that the parent asks, numbered on, and answers the figures. */
export function answerWith(
  store: (size: number, batch: number, points?: number) => Promise<void>,
  atOnce: number,
) {
  let next = 0;
  process.on('message', (message) => {
    const { batches, size, points } = Question.parse(message);
    const upTo = next + batches;
    const work = async (): Promise<void> => {
      while (next < upTo) await store(size, next++, points);
    };
    const began = process.hrtime.bigint();
    const before = process.cpuUsage();
    void Promise.all(Array.from({ length: atOnce }, work)).then(() => {
      const { user, system } = process.cpuUsage(before);
      const seconds = Number(process.hrtime.bigint() - began) / 1e9;
      const values = batches * size;
      return process.send?.({ rate: values / seconds, cpu: (user + system) / values });
    });
  });
  process.send?.('ready');
}

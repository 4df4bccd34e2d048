import { z } from 'zod';

/** What the load asks a measured process over its channel. */
export const Question = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('used') }),
  /** Makes the driver know the devices of these numbers. */
  z.object({
    ask: z.literal('devices'),
    from: z.number(),
    to: z.number(),
    isObserved: z.boolean(),
  }),
  /** Reads the point of as many devices in turn, so many at once. */
  z.object({ ask: z.literal('read'), count: z.number(), of: z.number(), atOnce: z.number() }),
]);
export type Question = z.infer<typeof Question>;

/** Microseconds of CPU of all threads and resident megabytes since the start; datagrams or values it counted. */
export const Used = z.object({ cpu: z.number(), megabytes: z.number(), seen: z.number() });
export type Used = z.infer<typeof Used>;

export const Listening = z.object({ port: z.number() });
export const Done = z.object({ failed: z.number() });

/** Answers `used` questions and hands the others on; says where the process listens. */
export function answerWith(
  port: number,
  seen: () => number,
  other: (question: Question) => Promise<z.infer<typeof Done>> = async () => ({ failed: 0 }),
): void {
  const answer = async (question: Question): Promise<void> => {
    const known = question.ask === 'used' ? used(seen()) : await other(question);
    process.send?.(known);
  };
  process.once('SIGTERM', () => process.exit());
  process.once('disconnect', () => process.exit());
  process.on('message', (message) => {
    void answer(Question.parse(message));
  });
  process.send?.({ port } satisfies z.infer<typeof Listening>);
}

function used(seen: number): Used {
  const { user, system } = process.cpuUsage();
  return { cpu: user + system, megabytes: process.memoryUsage.rss() / 2 ** 20, seen };
}

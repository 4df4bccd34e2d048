import { z } from 'zod';

/** So many consoles, each of a device of its own with all its points, for a while. */
export const Question = z.object({ consoles: z.number() });

/** Of a while: microseconds of CPU of the server per second for each console; milliseconds from a value's receipt to its reader. */
export const Figures = z.object({
  each: z.number(),
  told: z.number(),
  p50: z.number(),
  p99: z.number(),
});
export type Figures = z.output<typeof Figures>;

/** What the process of the consoles is given, and what it answers when it is asked. */
export const Given = z.object({
  url: z.string(),
  /** Of each console: its token and what it asks for, as the page of a device does. */
  consoles: z.array(
    z.object({ token: z.string(), points: z.array(z.string()), devices: z.array(z.string()) }),
  ),
});
export type Given = z.output<typeof Given>;

export const Heard = z.array(z.number());

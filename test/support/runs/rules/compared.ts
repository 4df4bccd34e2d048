import { z } from 'zod';

import type { Session } from '../../people/session.ts';

const Episode = z.object({
  entityId: z.string(),
  deviceId: z.string(),
  from: z.string(),
  fired: z.string(),
  to: z.string().nullable(),
  matches: z.number(),
});
const Found = z.object({ count: z.number(), episodes: z.array(Episode) });
const Preview = Found.extend({ stored: Found });
type Found = z.output<typeof Found>;

/** What each recorded series came to: alarms, and where the preview and the evaluation of it differ. */
export type Compared = { kind: string; series: number; alarms: number; wrong: string[] };

/** Those of several places may begin at the same time. Of what came late an alarm is raised when it comes. */
const inOrder = ({ count, episodes }: Found, isLate: boolean): string => {
  const lines = episodes.map(({ fired, ...each }) =>
    JSON.stringify({ ...each, ...(!isLate && { fired }) }),
  );
  return JSON.stringify({ count, episodes: lines.toSorted() });
};

/** Counts by kind of rule what its series came to. */
export class Tally {
  readonly #found = new Map<string, Compared>();

  get all(): Compared[] {
    return [...this.#found.values()];
  }

  /** Previews a stored rule on what was recorded since it is there, and compares that with what it raised. */
  async add(session: Session, kind: string, asked: object, isLate = false): Promise<void> {
    const answer = await session.data('/api/v3/data/rule/preview', asked);
    const { stored, ...would } = Preview.parse(answer);
    const known = this.#found.get(kind) ?? { kind, series: 0, alarms: 0, wrong: [] };
    known.series += 1;
    known.alarms += stored.count;
    const [said, was] = [would, stored].map((found) => inOrder(found, isLate));
    if (said !== was) known.wrong.push(`previewed ${said}, raised ${was}`);
    this.#found.set(kind, known);
  }
}

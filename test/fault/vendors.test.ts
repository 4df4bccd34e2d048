import { expect, it } from 'vitest';

import { behavioursOf, dialects, meet } from '../support/runs/vendors/run.ts';
import { seeded } from '../support/world/seeded.ts';

/** `npm run prove -- vendors` meets all of them. */
const MORE = 12;

it.each(dialects)(
  'answers, asks the second provider or names the cause, however a vendor behaves: %s',
  async (dialect) => {
    const random = seeded(20_261_130);
    const any = <T>(list: readonly T[]): T[] =>
      list.slice(Math.floor(random() * list.length)).slice(0, 1);
    const all = behavioursOf(dialect);
    const rules = [...Map.groupBy(all, ({ rule }) => rule).values()];
    const some = [...rules.flatMap(any), ...Array.from({ length: MORE }, () => any(all)).flat()];
    expect(all.length).toBeGreaterThan(150);
    const trials = await meet(dialect, some);
    expect(trials.length).toBe(2 * some.length);
    expect(trials.filter(({ wrong }) => wrong !== null)).toEqual([]);
  },
);

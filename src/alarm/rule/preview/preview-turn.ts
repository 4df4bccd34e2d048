import type { App } from '../../../kernel/app/app.ts';
import { TooManyRequests } from '../../../kernel/errors.ts';
import { slot } from '../../../kernel/slot.ts';

/** One that runs, and those that wait. */
const MOST = 5;
const RETRY_S = 5;

const PREVIEWS = slot(() => new Map<string, Line>());

/** By tenant: the last preview in line, and how many are in it. */
type Line = { last: Promise<unknown>; length: number };

/** Runs the previews of a tenant one after the other; throws TooManyRequests (429) when too many wait. */
export async function inTurn<T>(app: App, tenantId: string, run: () => Promise<T>): Promise<T> {
  const previews = app.of(PREVIEWS);
  const line = previews.get(tenantId) ?? { last: Promise.resolve(), length: 0 };
  if (line.length >= MOST)
    throw new TooManyRequests('Too many previews of rules wait; try again', RETRY_S);
  const turn = line.last.then(run);
  previews.set(tenantId, { last: turn.catch(() => {}), length: line.length + 1 });
  try {
    return await turn;
  } finally {
    const left = previews.get(tenantId);
    if (left && left.length > 1) previews.set(tenantId, { ...left, length: left.length - 1 });
    else previews.delete(tenantId);
  }
}

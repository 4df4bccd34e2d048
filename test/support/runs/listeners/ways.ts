import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import { openLive } from '../../live/open-live.ts';
import type { Program } from '../../people/bearer.ts';
import { asking } from '../../people/mcp-2026.ts';

const AWAY_MS = 60_000;

const Waited = z.object({
  nextCursor: z.string(),
  events: z.array(
    z.object({ kind: z.string(), what: z.string(), actionId: z.string().optional() }),
  ),
});

/** A run with kills, as its reader sees it. */
type Run = {
  base: string;
  program: Program;
  /** Of a login. */
  headers: Record<string, string>;
  random(): number;
  /** The reader hung up. */
  hungUp(): void;
  read(event: string): void;
  /** The last event there will be, once nothing is written any more; empty before. */
  last(): string;
};

/** Resolves when the reader has begun, with what reads to the last event. */
export type Way = (run: Run) => Promise<() => Promise<void>>;

/** By calls of `waitForEvents`. */
export const byWaiting: Way = async ({ base, program, random, hungUp, read, last }) => {
  let { nextCursor: cursor } = Waited.parse(await callTool(base, program, 'waitForEvents', {}));
  return async () => {
    for (let seen = ''; last() === '' || seen !== last();) {
      const hangUp = new AbortController();
      if (random() < 0.5) setTimeout(() => hangUp.abort(), random() * 400).unref();
      const input = { cursor, kinds: ['action'], waitS: 2 };
      const answer = await callTool(base, program, 'waitForEvents', input, hangUp.signal).catch(
        () => null,
      );
      if (hangUp.signal.aborted) hungUp();
      if (answer === null) {
        await sleep(50);
        continue;
      }
      const page = Waited.parse(answer);
      for (const { what, actionId = '' } of page.events) {
        seen = `${what} ${actionId}`;
        read(seen);
      }
      cursor = page.nextCursor;
    }
  };
};

/** By streams of `GET /api/v3/data/live`. */
export const byStreaming: Way = async ({ base, headers, random, hungUp, read, last }) => {
  const first = await openLive(base, headers);
  let cursor = first.lastId();
  first.close();
  return async () => {
    for (let seen = ''; last() === '' || seen !== last();) {
      const took = { isOver: false };
      const stream = await openLive(base, headers, {
        cursor,
        onTold({ event, id, data }) {
          // What comes after a hang-up was not read.
          if (took.isOver) return;
          cursor = id ?? cursor;
          if (event !== 'action') return;
          const { what, ref } = z.object({ what: z.string(), ref: z.string() }).parse(data);
          seen = `${what} ${ref}`;
          read(seen);
        },
      }).catch(() => null);
      if (stream === null) {
        await sleep(50);
        continue;
      }
      const hangsUp = random() < 0.5;
      await Promise.race([stream.ended, sleep(hangsUp ? random() * 400 : 2_000)]);
      took.isOver = true;
      stream.close();
      await stream.ended;
      if (hangsUp) hungUp();
    }
  };
};

/** The answer of a tool; throws for an error, and while the server is away. */
export async function callTool(
  base: string,
  { token }: Program,
  name: string,
  input: object,
  signal: AbortSignal = AbortSignal.timeout(AWAY_MS),
): Promise<unknown> {
  const given = { name, arguments: input };
  const { result, error } = await asking(base, token, {}, signal)('tools/call', given);
  if (!result || result['isError'] === true)
    throw new Error(`${name} failed: ${JSON.stringify(result ?? error)}`);
  return result['structuredContent'];
}

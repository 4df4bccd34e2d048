import { randomUUID } from 'node:crypto';

import type { Server } from '../server.ts';
import { chatClient, question, type Said, type Turn } from './stream.ts';

/** Streams of one principal at a time; the platform refuses the ninth. */
const PER_CALLER = 8;
const HISTORY = 15;

const PAST: Said[] = Array.from({ length: HISTORY }, () => [
  question(1, 0),
  { role: 'assistant' as const, content: ' token'.repeat(40) },
]).flat();

/** An endpoint that answers chat turns, with or without callers and conversations of its own. */
export type Contestant = ReturnType<typeof contestant>;

/** `path` is that of the chat endpoint; a server that made tokens is the platform, the others have no callers. */
export function contestant(server: Server, path: string) {
  const client = chatClient(`${server.url}${path}`);
  const { tokens } = server;
  const isPlatform = tokens.length > 0;
  const past = `bench-${randomUUID()}`;

  /** The turn of the caller whose turn it is: a new conversation, stored by the platform. */
  const turn = (at: number, chunks: number, gapMs: number): Turn => ({
    messages: [question(chunks, gapMs)],
    ...(isPlatform && { token: callerAt(at), conversationId: randomUUID() }),
  });
  const callerAt = (at: number): string => {
    const token = tokens[Math.floor(at / PER_CALLER) % tokens.length];
    if (token === undefined) throw new Error('no caller');
    return token;
  };

  return {
    server,
    /** One turn after the other; milliseconds to the first content of each. */
    async alone(count: number): Promise<number[]> {
      const waits: number[] = [];
      for (let at = 0; at < count; at += 1) waits.push(await ended(turn(0, 1, 0)));
      return waits;
    },
    /** The same with 30 messages before the question: stored by the platform, sent along to the others. */
    async afterPast(count: number): Promise<number[]> {
      const waits: number[] = [];
      const next: Turn = isPlatform
        ? { messages: [question(1, 0)], token: callerAt(0), conversationId: past }
        : { messages: [...PAST, question(1, 0)] };
      for (let at = 0; at < count; at += 1) waits.push(await ended(next));
      return waits;
    },
    /** Fills the conversation of `afterPast`. */
    async converse(): Promise<void> {
      if (!isPlatform) return;
      for (let at = 0; at < HISTORY; at += 1)
        await ended({ messages: [question(40, 1)], token: callerAt(0), conversationId: past });
    },
    /** So many turns that begin at once; milliseconds to the first content of each. */
    async atOnce(count: number, { chunks = 1, gapMs = 0, whileOpen = async () => {} } = {}) {
      const streams = Array.from({ length: count }, (_, at) =>
        client.open(turn(at, chunks, gapMs)),
      );
      const waits = await Promise.all(streams.map(({ firstMs }) => firstMs));
      await whileOpen();
      await Promise.all(streams.map(({ ended: all }) => all));
      return waits;
    },
    [Symbol.dispose]: () => client.close(),
  };

  async function ended(next: Turn): Promise<number> {
    const { firstMs, ended: all } = client.open(next);
    const wait = await firstMs;
    await all;
    return wait;
  }
}

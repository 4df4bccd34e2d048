import type { IncomingMessage } from 'node:http';

import { createParser } from 'eventsource-parser';
import { z } from 'zod';

import { Unavailable } from '../../src/kernel/errors.ts';
import { isJson, paceOf, wholeJson } from './pace.ts';
import type { FinishReason, ModelDelta, Usage } from './provider.ts';
import { brokeOff } from './refusal.ts';

const MAX_BODY = 8 * 1024 * 1024;
const MAX_EVENT = 1024 * 1024;
/** Limit of calls in one answer; calls beyond it are dropped. */
export const MAX_CALLS = 128;

/** Tokens of one answer, as a vendor counts them; what is beyond any model is no count. */
export const TokenCount = z.number().nonnegative().max(1_000_000_000);

/** Finish reason and usage of an answer, which arrive separately and in any order. */
export type End = { reason: FinishReason | null; usage: Usage | null };

export const finish = ({ reason, usage }: End): ModelDelta => ({
  type: 'finish',
  reason: reason ?? 'stop',
  ...(usage ? { usage } : {}),
});

/** What an exchange wants to know of a body while it is read. */
export type Reading = {
  /** Some of it came. */
  received(): void;
  /** The answer is whole, although the vendor may still name its usage, or keep the connection open. */
  complete(): void;
  isComplete(): boolean;
  /** Texts may go to `say`; before that they go to the reader. */
  isPlain(): boolean;
};

/** Events of one read that wait for their reader; beyond these the vendor is held back. */
const MAX_WAITING = 256;

/** Takes events in place of the reader of their batch. */
export type Taker = {
  /** False leaves the event to the reader. */
  take(data: string): boolean;
  /** Hands on what was taken; a promise holds the vendor back and leaves what comes meanwhile to the reader. */
  handOn(): Promise<void> | undefined;
};

/**
 * The `data` of server-sent events, those of what came since the last batch together; throws Unavailable. `taker` sees
 * an event while it is read, if the reader has seen all before it.
 */
export async function* eventsOf(
  response: IncomingMessage,
  reading: Reading,
  taker?: Taker,
): AsyncGenerator<string[]> {
  let ready: string[] = [];
  const handOn = (): void => {
    const held = taker?.handOn();
    if (held) texts.hold(held);
  };
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent({ data }) {
      // Some servers keep a connection open with empty events.
      if (data.trim() === '') return;
      if (taker && ready.length === 0 && texts.isAwaited() && taker.take(data)) return;
      if (ready.length === 0) handOn();
      ready.push(data);
    },
    onError(error) {
      if (error.type !== 'unknown-field' && error.type !== 'invalid-retry') {
        throw new Unavailable('The model provider sent an endless event', error);
      }
    },
  });
  /** A body in one piece, whatever its type says; null: events. */
  let body: string | null = null;
  let isFirst = true;
  const isWhole = wholeJson();
  const texts = textsOf(response, reading, (text) => {
    if (isFirst && text.trim() !== '') {
      isFirst = false;
      if (isJson(text)) body = '';
    }
    if (body !== null) {
      body += text;
      if (isWhole(text)) reading.complete();
      return 0;
    }
    try {
      parser.feed(text);
    } finally {
      // Also what came before an error.
      if (ready.length === 0) handOn();
    }
    return ready.length;
  });
  try {
    while (await texts.more()) {
      const batch = ready;
      ready = [];
      texts.taken();
      yield batch;
    }
    if (body !== null) yield [body];
  } finally {
    texts.close();
  }
}

type Words = Extract<ModelDelta, { type: 'text' | 'reasoning' }>;

/** Deltas of one read, words that follow each other joined: each would be sent to the client by itself. */
export function* joined(deltas: Iterable<ModelDelta>): Generator<ModelDelta> {
  let words: Words | null = null;
  try {
    for (const delta of deltas) {
      const next = wordsIn(delta);
      if (words && next && isAlike(words, next)) {
        words = longer(words, next.text);
        continue;
      }
      if (words) yield words;
      words = next;
      if (!next) yield delta;
    }
  } catch (error) {
    // What came before the error is said.
    if (words) yield words;
    words = null;
    throw error;
  }
  if (words) yield words;
}

/** Null for what is sent by itself. */
const wordsIn = (delta: ModelDelta): Words | null =>
  delta.type === 'reasoning' || (delta.type === 'text' && delta.logprobs === undefined)
    ? delta
    : null;

const longer = (words: Words, text: string): Words => ({ ...words, text: words.text + text });

const isAlike = (words: Words, next: Words): boolean =>
  words.type === 'reasoning'
    ? next.type === 'reasoning' && words.field === next.field
    : next.type === 'text' && words.isRefusal === next.isRefusal;

/** The whole body, for vendors that do not stream although the request wants it; events where it holds them all the same. */
export async function bodyOf(response: IncomingMessage, reading: Reading): Promise<string[]> {
  let body = '';
  const isWhole = wholeJson();
  const take = (text: string): number => {
    body += text;
    if (isWhole(text)) reading.complete();
    return 0;
  };
  const texts = textsOf(response, reading, take, false);
  try {
    await texts.more();
    if (isJson(body) || !/^(data|event|id|:)/m.test(body)) return [body];
    const events: string[] = [];
    const parser = createParser({
      onEvent({ data }) {
        if (data.trim() !== '') events.push(data);
      },
    });
    parser.feed(`${body}\n\n`);
    return events;
  } finally {
    texts.close();
  }
}

/**
 * Hands each read of a body to `take`: an async iterator of the response would cost as much as the read. `take` answers
 * how much of it waits for the reader; `more` waits for that, false at the end of the body.
 */
function textsOf(
  response: IncomingMessage,
  { received, isComplete }: Reading,
  take: (text: string) => number,
  isPaced = true,
) {
  let size = 0;
  let hasRead = false;
  let isOver = false;
  let failure: unknown = null;
  let held: Promise<void> | null = null;
  let wake: (() => void) | null = null;
  const changed = (): void => {
    wake?.();
    wake = null;
  };
  const over = (error: unknown = null): void => {
    if (isOver) return;
    isOver = true;
    failure = error;
    changed();
  };
  const pace = isPaced ? paceOf(response) : null;
  let read = '';
  const takeRead = (): void => {
    const text = read;
    read = '';
    if (isOver || text === '') return;
    received();
    size += text.length;
    try {
      if (size > MAX_BODY) throw new Unavailable('The model provider sent too much');
      pace?.taken(text.length);
      const waiting = take(text);
      if (waiting === 0) return;
      if (waiting >= MAX_WAITING) response.pause();
      hasRead = true;
      changed();
    } catch (error) {
      over(error);
    }
  };
  response.setEncoding('utf8');
  // One read may hold many chunks, each an event of its own.
  response.on('data', (text: string) => {
    if (isOver) return;
    if (read === '') {
      if (pace) pace.whole(takeRead);
      else process.nextTick(takeRead);
    }
    read += text;
  });
  const ended = (error: unknown = null): void => {
    takeRead();
    over(error);
  };
  response.on('end', () => ended());
  response.on('error', (error) => ended(isComplete() ? null : error));
  // Without an end before it: the connection broke.
  response.on('close', () => ended(isComplete() ? null : brokeOff()));
  return {
    async more(): Promise<boolean> {
      if (!hasRead && !isOver) await new Promise<void>((resolve) => (wake = resolve));
      if (held) await held;
      if (hasRead) return true;
      if (failure !== null) throw failure;
      return false;
    },
    taken(): void {
      hasRead = false;
      if (!isOver && response.isPaused()) response.resume();
    },
    /** Whether the reader waits for more. */
    isAwaited: (): boolean => wake !== null && held === null,
    /** Holds the vendor back until then; an error ends the body. */
    hold(until: Promise<void>): void {
      held = until;
      response.pause();
      const goOn = (): void => {
        held = null;
        if (!isOver) response.resume();
      };
      void until.then(goOn, over);
    },
    close(): void {
      isOver = true;
      pace?.stop();
      // A body that comes to its end leaves the connection for the next request.
      if (response.complete) response.resume();
      else if (isComplete()) endSoon(response);
      else response.destroy();
    },
  };
}

/** `endSoon` waits so long for the end of a body: vendors send it in another packet than the last event. */
const END_MS = 1_000;

function endSoon(response: IncomingMessage): void {
  response.resume();
  // Not by the clock of the platform, as a socket is no part of its logic.
  const timer = setTimeout(() => response.destroy(), END_MS).unref();
  response.once('close', () => clearTimeout(timer)).on('error', () => {});
}

export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Unavailable('The model provider sent something that is not JSON', error);
  }
}

/** An event that is there without a content. */
export const saysNothing = (given: unknown): boolean =>
  given === null || (Array.isArray(given) && given.length === 0);

/** The last event of OpenAI's streams; servers of both dialects send it. */
export const DONE = '[DONE]';

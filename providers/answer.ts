import type { IncomingMessage } from 'node:http';

import { createParser } from 'eventsource-parser';

import { Unavailable } from '../src/core/errors.ts';
import type { FinishReason, ModelDelta, Usage } from './provider.ts';

const MAX_BODY = 8 * 1024 * 1024;
const MAX_EVENT = 1024 * 1024;
/** Limit of calls in one answer; calls beyond it are dropped. */
export const MAX_CALLS = 128;

/** Finish reason and usage of an answer, which arrive separately and in any order. */
export type End = { reason: FinishReason | null; usage: Usage | null };

export const finish = ({ reason, usage }: End): ModelDelta => ({
  type: 'finish',
  reason: reason ?? 'stop',
  ...(usage ? { usage } : {}),
});

/** The `data` of server-sent events, one batch for each read; throws Unavailable. */
export async function* eventsOf(
  response: IncomingMessage,
  heard: () => void,
): AsyncGenerator<string[]> {
  let ready: string[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: ({ data }) => void ready.push(data),
    onError(error) {
      if (error.type !== 'unknown-field' && error.type !== 'invalid-retry') {
        throw new Unavailable('The model provider sent an endless event', error);
      }
    },
  });
  for await (const text of textsOf(response, heard)) {
    parser.feed(text);
    const batch = ready;
    ready = [];
    yield batch;
  }
}

/** The whole body as text, for vendors that do not stream although the request wants it. */
export async function bodyOf(response: IncomingMessage, heard: () => void): Promise<string> {
  let body = '';
  for await (const text of textsOf(response, heard)) body += text;
  return body;
}

async function* textsOf(response: IncomingMessage, heard: () => void): AsyncGenerator<string> {
  let size = 0;
  response.setEncoding('utf8');
  for await (const chunk of response) {
    heard();
    const text = String(chunk);
    size += text.length;
    if (size > MAX_BODY) throw new Unavailable('The model provider sent too much');
    yield text;
  }
}

export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Unavailable('The model provider sent something that is not JSON', error);
  }
}

export const brokeOff = () =>
  new Unavailable('The model provider broke off in the middle of its answer');

/** An error inside an answer that began with 200; the vendor's text goes to the log only. */
export const failedInside = (text: string) =>
  new Unavailable('The model provider failed', new Error(text.slice(0, 1_000)));

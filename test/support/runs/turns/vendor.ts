import type { ServerResponse } from 'node:http';

import { call, refuse, type Reply, say, type Sent, stream } from '../../neighbours/model.ts';

/** Lets `writes` parts of an answer through, then ends it in this way. */
const cut =
  (good: Reply, writes: number, end: (res: ServerResponse) => void): Reply =>
  async (res) => {
    let left = writes;
    const stop = (): void => {
      if (!res.destroyed && !res.writableEnded) end(res);
    };
    const through = (text: string): boolean => {
      left -= 1;
      if (left >= 0) return res.write(text);
      stop();
      return true;
    };
    await good(
      new Proxy(res, {
        get(target, name) {
          if (name === 'write') return through;
          if (name === 'end') return stop;
          const value: unknown = Reflect.get(target, name);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      }),
    );
  };

const RETRY_SOON = { 'retry-after-ms': '5' };
const page: Reply = (res) => {
  res.writeHead(200, { 'content-type': 'text/html' });
  res.end('<html><body>Sign in</body></html>');
};

/** How a vendor fails; `good` is what it would have answered, `writes` how many parts of that still come. */
export const faults = {
  nothing: (good: Reply) => good,
  'refuses the request': () => refuse(400),
  'refuses the key': () => refuse(401),
  'is busy': () => refuse(429, RETRY_SOON),
  'is busy for long': () => refuse(429, { 'retry-after': '60' }),
  fails: () => refuse(500, RETRY_SOON),
  'is away': () => refuse(503, RETRY_SOON),
  'hangs up': () => (res: ServerResponse) => void res.destroy(),
  'hangs up in its answer': (good: Reply, writes: number) =>
    cut(good, writes, (res) => void res.destroy()),
  'ends too early': (good: Reply, writes: number) => cut(good, writes, (res) => void res.end()),
  'says an error in its answer': (good: Reply, writes: number) =>
    cut(good, writes, (res) => {
      res.end('data: {"error":{"message":"overloaded","type":"server_error"}}\n\n');
    }),
  'says garbage': () => stream('data: {"choices":[{"delta":{"content":"ab\n\n', 'data: ]\n\n'),
  'shows a page': () => page,
} satisfies Record<string, (good: Reply, writes: number) => Reply>;
export type Fault = keyof typeof faults;

/** The lie of a model that proposed only. */
export const LIE = 'Done, I have set it';

/** What the model of a turn does, and where it fails. */
export type Script = {
  wish: number;
  write: object;
  /** It looks around before it proposes. */
  looks: boolean;
  /** The last answer claims success. */
  lies: boolean;
  fault: Fault;
  /** In which round it fails, at how many requests, after how many parts. */
  round: number;
  times: number;
  writes: number;
};

export const questionOf = (wish: number): string => `Wish ${wish}: set it as I want it.`;
export const wishIn = (text: string): number | null => {
  const found = /Wish (\d+):/.exec(text)?.[1];
  return found === undefined ? null : Number(found);
};

/** The wish of the question that a request is about. */
export const wishOf = ({ messages }: Sent): number | null =>
  wishIn(messages.findLast(({ role }) => role === 'user')?.content ?? '');

/** The answer of the script to a request; `failed` counts how often it has failed. */
export function answerOf(sent: Sent, script: Script, failed: Map<number, number>): Reply {
  const { wish, write, looks, lies, fault, times, writes } = script;
  const question = sent.messages.findLastIndex(({ role }) => role === 'user');
  const round = sent.messages.slice(question).filter(({ role }) => role === 'assistant').length;
  const good = goodAnswer(round - (looks ? 1 : 0), { wish, write, lies });
  const already = failed.get(wish) ?? 0;
  if (round !== script.round || already >= times) return good;
  failed.set(wish, already + 1);
  return faults[fault](good, writes);
}

function goodAnswer(
  step: number,
  { wish, write, lies }: Pick<Script, 'wish' | 'write' | 'lies'>,
): Reply {
  if (step < 0) return call(['searchDevices', {}]);
  if (step === 0) return call(['writePointValue', write]);
  return say(lies ? `${LIE} for wish ${wish}.` : `I have asked for wish ${wish}, it waits.`);
}

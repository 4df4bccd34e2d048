import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { z } from 'zod';

import {
  call,
  type FakeModel,
  type Reply,
  say,
  type Sent,
  startModel,
} from '../../neighbours/model.ts';
import { chat } from '../../people/chat.ts';
import type { McpClient } from '../../people/mcp.ts';
import type { Session } from '../../people/session.ts';
import type { Task } from './policy.ts';

/** The words of an operator for each task. */
const QUESTIONS: Record<Task, string> = {
  exists: 'Which devices are there?',
  value: 'What is the outlet temperature of boiler 2?',
  trend: 'How did the outlet temperature of boiler 1 develop over the last day?',
  compare: 'Compare the outlet temperatures of boilers 1, 2 and 3 over the last day.',
  alarms: 'Which alarms are there, and what is the first one about?',
  write: 'Set the outlet set-point of boiler 1 to 61 and tell me what came of it.',
  outOfRange: 'Set the outlet set-point of boiler 1 to 120.',
  readOnly: 'Set the outlet temperature of boiler 1 to 50.',
  offline: 'Set the set-point of room 202 to 21.',
  twice: 'Set the outlet set-point of boiler 3 to 62, and do it again.',
  rejected: 'Set the outlet set-point of boiler 3 to 63 and tell me what came of it.',
  unit: 'What do all points in bar have now?',
  silent: 'Which points had no new value for ten minutes?',
  handover: 'What happened in the last eight hours, for the handover?',
  changes: 'Which changes were made since yesterday?',
  hidden: 'What do the operator notes say?',
};
/** What a model searches by where the words of the question say nothing of it; the finder names such words itself. */
const WORDS: Partial<Record<Task, string>> = {
  compare: 'history of values',
  hidden: 'values of points by name',
};
const FINDER = 'searchTools';
const Refused = z.object({ error: z.string(), hint: z.string() });

type Asked = { sent: Sent; answer(reply: Reply): Promise<void> };

/** Requests to the model in their order, each held until it is answered. */
function arrivals() {
  const waiting: Asked[] = [];
  const takers: ((asked: Asked) => void)[] = [];
  return {
    hold:
      (sent: Sent): Reply =>
      (res) =>
        new Promise((done, failed) => {
          const answer = async (reply: Reply): Promise<void> => {
            try {
              await reply(res);
              done();
            } catch (error) {
              failed(error);
            }
          };
          const taker = takers.shift();
          if (taker) taker({ sent, answer });
          else waiting.push({ sent, answer });
        }),
    next: (): Promise<Asked> => {
      const asked = waiting.shift();
      if (asked) return Promise.resolve(asked);
      return new Promise((taken) => {
        takers.push(taken);
      });
    },
  };
}

export const startHeldModel = async (): Promise<{
  model: FakeModel;
  next(): Promise<Asked>;
}> => {
  const { hold, next } = arrivals();
  return { model: await startModel(hold), next };
};

const offeredIn = ({ tools = [] }: Sent): string[] => tools.map((tool) => tool.function.name);
const sizeOf = ({ messages, tools }: Sent): number =>
  countTokens(JSON.stringify({ messages, tools }));

/**
 * Does the tasks of a tour as turns of a chat: the question of a task is asked, and the policy's calls are those of the
 * model. A tool that is not in the list of a request is searched first; `missing` has those that were not in the list then.
 */
export function smallModel(
  session: Session,
  tools: McpClient,
  { next }: { next(): Promise<Asked> },
  model: string,
) {
  const missing: string[] = [];
  const sizes: { task: Task; tokens: number }[] = [];
  let searches = 0;
  let task: Task = 'exists';
  let asked: Asked | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const step = async (name: string, args: object): Promise<string> => {
    await asked?.answer(call([name, args]));
    asked = await next();
    return asked.sent.messages.at(-1)?.content ?? '';
  };
  return {
    missing,
    sizes,
    searches: () => searches,
    client: {
      ...tools,
      async call(name: string, args: Record<string, unknown> = {}) {
        if (asked && !offeredIn(asked.sent).includes(name)) {
          searches += 1;
          await step(FINDER, { words: WORDS[task] ?? QUESTIONS[task] });
          if (!offeredIn(asked.sent).includes(name)) missing.push(`${task}: ${name}`);
        }
        const text = await step(name, args);
        const refused = Refused.safeParse(JSON.parse(text)).data;
        const content = [{ type: 'text', text: refused?.error ?? text }];
        return { content, isError: refused !== undefined };
      },
    } satisfies McpClient,
    async begin(named: Task): Promise<void> {
      task = named;
      turn = chat(session, QUESTIONS[task], { model });
      // The policy waits for the requests; a turn that fails shows at its end.
      turn.catch(() => {});
      asked = await next();
      sizes.push({ task, tokens: sizeOf(asked.sent) });
    },
    async end(): Promise<void> {
      await asked?.answer(say('Done.'));
      asked = undefined;
      await turn;
    },
  };
}

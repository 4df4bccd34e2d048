import { expect } from 'vitest';
import { z } from 'zod';

import { onboardVirtual } from '../../tools/agent.ts';
import { ACTIONS } from '../people/actions.ts';
import { type ChatWorld, startChatWorld } from '../people/chat-world.ts';
import type { Session } from '../people/session.ts';
import { fresh } from '../world/fresh-name.ts';
import { call, type Reply, say, type Sent } from './model.ts';

const MODEL = 'fake-1';
const WAIT_MS = 15_000;
const Key = z.object({ key: z.string() });
const Card = z.looseObject({
  actionId: z.string(),
  digest: z.string(),
  conversationId: z.string(),
  status: z.string(),
});
/** An answer, whatever of it a library hands out: JSON, or the chunks of a stream. */
const Extended = z.looseObject({
  x_svc: z.union([
    z.looseObject({ pending_actions: z.array(Card) }),
    z.looseObject({ card: Card.optional() }),
    z.array(z.looseObject({ card: Card.optional() })),
  ]),
});

export type SdkWorld = {
  chatWorld: ChatWorld;
  session: Session;
  /** Of the OpenAI-compatible API. */
  baseURL: string;
  /** Opens chat and the tools of its person; decides nothing. */
  apiKey: string;
  model: string;
  /** Proposes this value where nothing was proposed in the turn, else answers. */
  proposal(sent: Sent, value: number): Reply;
  /** A person confirms the card of these answers, and the write is done: the action and its conversation. */
  confirmed(answers: readonly unknown[]): Promise<{ actionId: string; conversationId: string }>;
  /** A person rejects it. */
  rejected(answers: readonly unknown[]): Promise<{ actionId: string; conversationId: string }>;
  /** The last request to the model says that this action is executed. */
  expectReceipt(actionId: string, value: number): void;
  stop(): Promise<void>;
};

/** The platform as the library of a chat client meets it, with a set-point that is really written. */
export async function startSdkWorld(): Promise<SdkWorld> {
  const chatWorld = await startChatWorld();
  const session = chatWorld.world.admin;
  const { deviceId, pointId } = await onboardVirtual(chatWorld.world, fresh('plant'));
  const scopes = ['svc:chat', 'svc:read', 'svc:read-device', 'svc:propose'];
  const { key: apiKey } = Key.parse(
    await session.data('/api/v3/auth/key/add', { keyName: fresh('sdk'), scopes }),
  );
  return {
    chatWorld,
    session,
    baseURL: `${session.base}/api/v3/agentic`,
    apiKey,
    model: MODEL,
    proposal: (sent, value) =>
      toolsOf(sent).includes('writePointValue')
        ? say('I have asked for it.')
        : call(['writePointValue', { deviceId, pointId, value }]),
    async confirmed(answers) {
      const { actionId, digest, conversationId } = pendingIn(answers);
      const body = { actionId, digest, wait_ms: WAIT_MS };
      expect(await session.data(`${ACTIONS}/confirm`, body)).toMatchObject({ status: 'EXECUTED' });
      chatWorld.answer(() => say('It is written.'));
      return { actionId, conversationId };
    },
    async rejected(answers) {
      const { actionId, conversationId } = pendingIn(answers);
      await session.data(`${ACTIONS}/reject`, { actionId });
      chatWorld.answer(() => say('It was rejected.'));
      return { actionId, conversationId };
    },
    expectReceipt(actionId, value) {
      const [rules] = chatWorld.model.requests.at(-1)?.messages ?? [];
      expect(rules?.content).toContain(`action ${actionId} is EXECUTED`);
      expect(rules?.content).toContain(`became ${value} °C`);
    },
    stop: () => chatWorld.stop(),
  };
}

/** The tools that the model has called in this turn. */
const toolsOf = ({ messages }: Sent): string[] =>
  messages
    .slice(messages.findLastIndex(({ role }) => role === 'user'))
    .flatMap(({ tool_calls: calls = [] }) => calls.map((each) => each.function.name));

function pendingIn(answers: readonly unknown[]): z.output<typeof Card> {
  const card = answers.flatMap(cardsIn).at(-1);
  if (card?.status !== 'PENDING') throw new Error('no answer had the card of a proposal');
  return card;
}

function cardsIn(answer: unknown): z.output<typeof Card>[] {
  const { data } = Extended.safeParse(answer);
  if (!data) return [];
  const events = Array.isArray(data.x_svc) ? data.x_svc : [data.x_svc];
  return events.flatMap((event) => {
    const { pending_actions: all = [], card } = z
      .looseObject({ pending_actions: z.array(Card).optional(), card: Card.optional() })
      .parse(event);
    return card ? [card] : all;
  });
}

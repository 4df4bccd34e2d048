import { type FakeModel, type Reply, type Sent, startModel } from '../neighbours/model.ts';
import type { World } from '../world/app.ts';
import { startWorld } from '../world/app.ts';

export type ChatWorld = {
  world: World;
  model: FakeModel;
  /** Decides what the model says until it is set again. */
  answer(reply: (sent: Sent, round: number) => Reply): void;
  stop(): Promise<void>;
};

/**
 * The platform with a fake model as its fallback provider, and a window of four messages; `vendors`: addresses of others
 * that tenants may name.
 */
export async function startChatWorld(
  environment: Record<string, string> = {},
  vendors: readonly string[] = [],
): Promise<ChatWorld> {
  let current: (sent: Sent, round: number) => Reply = () => (res) => void res.destroy();
  const model = await startModel((sent, round) => current(sent, round));
  const world = await startWorld({
    environment: {
      AGENTIC_FALLBACK_OPENAI_BASE_URL: model.baseUrl,
      AGENTIC_FALLBACK_OPENAI_API_KEY: 'fallback-key',
      AGENTIC_FALLBACK_OPENAI_MODEL: 'fake-1',
      SVC_AGENTIC_HISTORY_WINDOW_SIZE: '4',
      SVC_EGRESS_ALLOW: [model.baseUrl, ...vendors].map((url) => new URL(url).host).join(','),
      ...environment,
    },
  });
  return {
    world,
    model,
    answer(reply) {
      current = reply;
    },
    async stop() {
      await world.stop();
      await model.stop();
    },
  };
}

/** How many messages of this turn the model has been sent after the question. */
export const inTurn = (sent: Sent): number =>
  sent.messages.length - sent.messages.findLastIndex(({ role }) => role === 'user') - 1;

/** The tool results a request carries. */
export const results = (sent: Sent | undefined): unknown[] =>
  (sent?.messages ?? [])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => JSON.parse(content ?? 'null'));

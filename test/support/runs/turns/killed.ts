import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import { onboard, type Site } from '../../../tools/agent.ts';
import { freePort } from '../../neighbours/free-port.ts';
import { call, type Reply, say, startModel } from '../../neighbours/model.ts';
import { ACTIONS } from '../../people/actions.ts';
import { inTurn } from '../../people/chat-world.ts';
import { login, type Session } from '../../people/session.ts';
import { testEnvironment } from '../../world/environment.ts';
import { type Server, startServer } from '../../world/server.ts';
import { questionOf } from './vendor.ts';

const TIMEOUT_MS = 30_000;
const CHAT = '/api/v3/agentic/chat/completions';
const Listed = z.array(
  z.looseObject({
    role: z.string(),
    status: z.string(),
    content: z.string(),
    contentExt: z.looseObject({ actions: z.array(z.string()), receipt: z.unknown().optional() }),
  }),
);
const Actions = z.object({
  actions: z.array(z.looseObject({ actionId: z.string(), proposedValue: z.string() })),
});

/** Where the process ends, by what the vendor is asked or says. */
export const killPoints = [
  'asked by the client',
  'before the proposal is asked for',
  'with the call on its way',
  'after the proposal',
  'in the last answer',
  'at the end of the last answer',
] as const;
export type KillPoint = (typeof killPoints)[number];

export type Killed = { point: KillPoint; wrong: string[]; isProposed: boolean };

/** A platform that is killed in the middle of turns, and started again on the same data. */
export class KillBench {
  readonly #environment: Record<string, string>;
  readonly #stop: () => Promise<void>;
  #server: Server | null = null;
  #site: Site | null = null;
  #armed: KillPoint | null = null;
  #write: object = {};

  private constructor(environment: Record<string, string>, stop: () => Promise<void>) {
    this.#environment = environment;
    this.#stop = stop;
  }

  static async open(environment: Record<string, string>): Promise<KillBench> {
    let bench: KillBench | undefined;
    const model = await startModel((sent) => (bench ? bench.#reply(inTurn(sent)) : say('not yet')));
    bench = new KillBench(
      {
        ...testEnvironment,
        SVC_PORT: String(await freePort()),
        AGENTIC_FALLBACK_OPENAI_BASE_URL: model.baseUrl,
        AGENTIC_FALLBACK_OPENAI_API_KEY: 'key',
        AGENTIC_FALLBACK_OPENAI_MODEL: 'fake-1',
        SVC_EGRESS_ALLOW: new URL(model.baseUrl).host,
        ...environment,
      },
      () => model.stop(),
    );
    return bench;
  }

  async close(): Promise<void> {
    await this.#server?.kill();
    await this.#stop();
  }

  /** A turn that is killed at `point`, is asked again by the client's policy, and goes on after a restart. */
  async turn(point: KillPoint, wish: number, streams: boolean): Promise<Killed> {
    const before = await this.#started();
    const admin = await this.#login(before);
    this.#site ??= await onboard(admin, 'killed');
    const { deviceId, pointId } = this.#site;
    const value = (5.01 + wish / 100).toFixed(2);
    this.#write = { deviceId, pointId, value };
    const conversationId = `killed-${wish}`;
    this.#armed = point;
    if (point === 'asked by the client') void sleep(5).then(() => this.#kill());
    const body = {
      model: 'fake-1',
      stream: streams,
      conversationId,
      messages: [{ role: 'user', content: questionOf(wish) }],
    };
    let heard = await asked(admin, body);
    await before.exited;
    const again = await this.#login(await this.#started());
    // Nothing of an answer came: the library asks again.
    if (heard === '') heard = await asked(again, body);
    const { actions } = Actions.parse(await again.data(`${ACTIONS}/search`, { limit: 20 }));
    const own = actions.filter(({ proposedValue }) => Number(proposedValue) === Number(value));
    // The person goes on in the conversation.
    const next = { ...body, stream: false, messages: [{ role: 'user', content: 'and?' }] };
    heard += await asked(again, next);
    const messages = Listed.parse(
      await again.data('/api/v3/agentic/message/list', undefined, {
        conversation_id: conversationId,
      }),
    );
    const wrong: string[] = [];
    if (own.length > 1) wrong.push(`${own.length} proposals of one wish`);
    for (const { actionId } of own)
      if (
        !heard.includes(actionId) &&
        !messages.some(({ contentExt }) => contentExt.actions.includes(actionId))
      )
        wrong.push('a proposal is shown nowhere');
    const said = messages.filter(({ contentExt }) => contentExt.receipt === undefined);
    for (const [at, { role }] of said.entries())
      if (role !== (at % 2 === 0 ? 'user' : 'assistant'))
        wrong.push(`message ${at} of ${said.length} is of ${role}`);
    if (said.length % 2 === 1) wrong.push('the last question has no answer');
    for (const { actionId } of own) await again.post(`${ACTIONS}/reject`, { action_id: actionId });
    return { point, wrong, isProposed: own.length > 0 };
  }

  #reply(said: number): Reply {
    if (said === 0)
      return this.#killing('before the proposal is asked for', call(['searchDevices', {}]));
    if (said === 2)
      return this.#killingAfter('with the call on its way', call(['writePointValue', this.#write]));
    const last = this.#killingIn('in the last answer', say('I have asked for it, and it waits.'));
    const whole = this.#killingAfter('at the end of the last answer', last);
    return this.#killing('after the proposal', whole);
  }

  /** Kills in place of the answer. */
  #killing(point: KillPoint, reply: Reply): Reply {
    return this.#armed === point ? () => this.#kill() : reply;
  }

  #killingAfter(point: KillPoint, reply: Reply): Reply {
    if (this.#armed !== point) return reply;
    return async (res) => {
      await reply(res);
      await this.#kill();
    };
  }

  #killingIn(point: KillPoint, reply: Reply): Reply {
    if (this.#armed !== point) return reply;
    return async (res) => {
      setImmediate(() => void this.#kill());
      await reply(res);
    };
  }

  async #kill(): Promise<void> {
    this.#armed = null;
    const server = this.#server;
    this.#server = null;
    await server?.kill();
  }

  async #started(): Promise<Server> {
    this.#server ??= await startServer(this.#environment);
    return this.#server;
  }

  #login = ({ base }: Server): Promise<Session> =>
    login(base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
}

/** All that came, also of an answer that broke off. */
async function asked({ base, headers }: Session, body: object): Promise<string> {
  let heard = '';
  try {
    const response = await fetch(`${base}${CHAT}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const part = await reader?.read();
      if (!part || part.done) return heard;
      heard += part.value;
    }
  } catch (error) {
    if (error instanceof TypeError) return heard;
    throw error;
  }
}

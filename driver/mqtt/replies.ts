import { at, parseJson, textOf } from '../report/json.ts';
import type { ReplySettings } from './attributes.ts';
import type { Message } from './broker/connection.ts';

/** The answer of a device to a write or a call: what it says, and whether it surely answers this one. */
export type Reply = { isOk: boolean; text: string; isOurs: boolean; payload: Buffer };

type Waiting = {
  id: string;
  correlation: Buffer;
  settings: ReplySettings;
  answer: (reply: Reply) => void;
};

/** Answers to writes and calls, by the topic where they come. */
export class Replies {
  readonly #waiting = new Map<string, Set<Waiting>>();

  /** Calls `answer` for each reply to `id`; the returned function ends that. */
  expect(topic: string, waiting: Waiting): () => void {
    const all = this.#waiting.get(topic) ?? new Set();
    this.#waiting.set(topic, all.add(waiting));
    return () => {
      all.delete(waiting);
      if (all.size === 0) this.#waiting.delete(topic);
    };
  }

  take(message: Message): void {
    if (message.isRetained) return;
    for (const waiting of this.#waiting.get(message.topic) ?? []) {
      const reply = replyIn(message, waiting);
      if (reply) waiting.answer(reply);
    }
  }
}

/** Null for the reply to another write or call. */
function replyIn({ payload, correlation }: Message, waiting: Waiting): Reply | null {
  const { replyIdPath, replyPath, replyOk } = waiting.settings;
  if (correlation && !correlation.equals(waiting.correlation)) return null;
  const whole = replyIdPath || replyPath ? parseJson(payload.toString()) : undefined;
  if (replyIdPath && textOf(at(whole, replyIdPath)) !== waiting.id) return null;
  const isOurs = correlation !== null || replyIdPath !== null;
  if (!replyPath) return { isOk: true, text: '', isOurs, payload };
  const text = textOf(at(whole, replyPath));
  const isOk = text?.toLowerCase() === replyOk.toLowerCase();
  return { isOk, text: text ?? payload.toString().slice(0, 200), isOurs, payload };
}

import { randomBytes } from 'node:crypto';

import {
  type JSONRPCMessage,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

import { isRecord } from '../request/record.ts';

const TAG_BYTES = 8;

/**
 * The transport of a session in this process. Its requests to the client (a question) have ids that no other process
 * gives in the session: the answer, wherever it arrives, names the process that asked.
 */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #tag = `${randomBytes(TAG_BYTES).toString('hex')}-`;

  override send(
    message: JSONRPCMessage,
    options?: Parameters<WebStandardStreamableHTTPServerTransport['send']>[1],
  ): Promise<void> {
    const isRequest = 'method' in message && 'id' in message;
    return super.send(
      isRequest ? { ...message, id: `${this.#tag}${message.id}` } : message,
      options,
    );
  }

  /** The message as the protocol's library knows it; null for an answer to a question of another process. */
  own(message: unknown): unknown {
    if (Array.isArray(message)) return message.map((one) => this.own(one) ?? one);
    if (!isAnswer(message)) return message;
    const { id } = message;
    if (typeof id !== 'string' || !id.startsWith(this.#tag)) return null;
    return { ...message, id: Number(id.slice(this.#tag.length)) };
  }
}

/** Whether any process of the session may be the one that a message of the client is for. */
export const isForAnyProcess = (message: unknown): boolean =>
  isAnswer(message) || (isRecord(message) && message['method'] === 'notifications/cancelled');

const isAnswer = (message: unknown): message is Record<string, unknown> =>
  isRecord(message) && !('method' in message) && ('result' in message || 'error' in message);

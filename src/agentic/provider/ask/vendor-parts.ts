import { withoutParts } from '../../../../providers/request/demanded.ts';
import type { ModelMessage } from '../../../../providers/request/provider.ts';
import type { Model } from '../usable-models.ts';

/** Key of a model among the parts of messages that only their vendor understands. */
export const partsKey = ({ health, name }: Pick<Model, 'health' | 'name'>): string =>
  `${health} ${name}`;

/** The messages for one model: another vendor refuses the reasoning and the extra content that are not its own. */
export const withOwnParts = (
  messages: readonly ModelMessage[],
  key: string,
): readonly ModelMessage[] =>
  messages.some((message) => isForeign(message, key))
    ? messages.map((message) => (isForeign(message, key) ? withoutParts(message) : message))
    : messages;

const isForeign = (message: ModelMessage, key: string): boolean =>
  message.role === 'assistant' && message.by !== undefined && message.by !== key;

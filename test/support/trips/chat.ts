import { chat, chatFrames } from '../people/chat.ts';
import type { Call } from './call.ts';
import type { Site } from './site.ts';

type Turn = { name: string; question: string; isNew?: boolean; isStream?: boolean };

const turns: readonly Turn[] = [
  { name: 'new conversation', question: 'how are you?', isNew: true },
  { name: 'new conversation, stream', question: 'how are you?', isNew: true, isStream: true },
  { name: 'with history', question: 'how are you?' },
  { name: 'with history, stream', question: 'how are you?', isStream: true },
  { name: 'three tools in one round', question: 'tools 3' },
  { name: 'three tools in one round, stream', question: 'tools 3', isStream: true },
  { name: 'three rounds of one tool', question: 'tools 1 1 1' },
];

/** Turns of the chat, each in a conversation of its own. */
export const chatCalls = ({ mine }: Site): Call[] =>
  turns.map(({ name, question, isNew = false, isStream = false }) => ({
    name: `chat ${name}`,
    async prepare() {
      const first = isNew ? null : await chat(mine, 'hello', { store: true });
      const more = first ? { conversationId: first.conversationId } : { store: true };
      return isStream ? () => chatFrames(mine, question, more) : () => chat(mine, question, more);
    },
    touch: () => mine.data('/api/v3/manager/driver/list', { page: { size: 1 } }),
  }));

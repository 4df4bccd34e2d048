import type {
  RedactedThinkingBlockParam,
  ThinkingBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import { z } from 'zod';

import type { ToolCall } from '../request/provider.ts';

type Thought = ThinkingBlockParam | RedactedThinkingBlockParam;
type Given = {
  type?: string | null | undefined;
  thinking?: string | null | undefined;
  signature?: string | null | undefined;
  data?: string | null | undefined;
};

/** Of one call, as JSON; longer ones are left out, as the signature is of the whole. */
const MAX_THINKING = 262_144;

const Extra = z.object({
  thinking: z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
      z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
    ]),
  ),
});

/** Collects what a model thinks before each of its calls, while its answer is read. */
export function newThinking() {
  let before: Thought[] = [];
  const open = new Map<number, ThinkingBlockParam>();
  return {
    begin(index: number, { type, thinking, signature, data }: Given): void {
      open.delete(index);
      if (type === 'redacted_thinking') before.push({ type, data: data ?? '' });
      if (type !== 'thinking') return;
      const thought = { type, thinking: thinking ?? '', signature: signature ?? '' } as const;
      const kept: ThinkingBlockParam = { ...thought };
      open.set(index, kept);
      before.push(kept);
    },
    add(index: number, { thinking, signature }: Given): void {
      const thought = open.get(index);
      if (!thought) return;
      thought.thinking += thinking ?? '';
      thought.signature += signature ?? '';
    },
    /** What came since the call before, for the call that begins. */
    taken(): Pick<ToolCall, 'extra'> {
      const thinking = before;
      before = [];
      if (thinking.length === 0 || JSON.stringify(thinking).length > MAX_THINKING) return {};
      return { extra: { thinking } };
    },
  };
}

/** The blocks that came before a call, as the vendor wants them back; those of other dialects are none. */
export const thinkingBefore = ({ extra }: ToolCall): Thought[] =>
  Extra.safeParse(extra).data?.thinking ?? [];

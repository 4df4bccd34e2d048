import type { Step } from './step.ts';

/** The tokens of a turn in OpenAI's form; details only where there are any. */
export function usageOf(steps: readonly Step[]) {
  const sum = (of: (step: Step) => number): number =>
    steps.reduce((total, step) => total + of(step), 0);
  const prompt = sum(({ usage }) => usage.promptTokens);
  const completion = sum(({ usage }) => usage.completionTokens);
  const cached = sum(({ usage }) => usage.cachedTokens);
  const reasoning = sum(({ usage }) => usage.reasoningTokens);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(cached > 0 ? { prompt_tokens_details: { cached_tokens: cached } } : {}),
    ...(reasoning > 0 ? { completion_tokens_details: { reasoning_tokens: reasoning } } : {}),
  };
}

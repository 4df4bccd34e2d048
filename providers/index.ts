import { anthropic } from './anthropic/anthropic.ts';
import { openAiCompatible } from './openai/openai-compatible.ts';
import type { OpenProvider } from './request/provider.ts';
import { scripted } from './scripted/scripted.ts';

/** The providers by name; src/agentic/provider/provider-type.ts maps `provider_type` to them. */
export const providers = {
  'openai-compatible': openAiCompatible,
  anthropic,
  scripted,
} satisfies Record<string, OpenProvider>;

import { anthropic } from './anthropic.ts';
import { openAiCompatible } from './openai-compatible.ts';
import type { OpenProvider } from './provider.ts';
import { scripted } from './scripted.ts';

/** The providers by name; `provider_type` points at them (src/agentic/model.ts). */
export const providers = {
  'openai-compatible': openAiCompatible,
  anthropic,
  scripted,
} as const satisfies Record<string, OpenProvider>;

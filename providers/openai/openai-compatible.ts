import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';

import { beginsInThought, messageForms, withParameters } from '../request/parameters.ts';
import type { ModelRequest, OpenProvider } from '../request/provider.ts';
import { exchange } from '../request/upstream.ts';
import { listed } from '../request/vendor-client.ts';
import { readAnswer, readStream } from './answer.ts';
import { messagesOf } from './messages.ts';
import { optionFields } from './options.ts';
import { withPlainSchemas } from './schemas.ts';

/**
 * The vendor's own endpoints. Local model servers constrain an answer with a format from its first token on, so that the
 * model can call no tool.
 */
const FORMATS_WITH_TOOLS = /^https:\/\/([\w-]+\.)*(openai\.com|openai\.azure\.com)([:/]|$)/;
const readers = { events: readStream, json: readAnswer };

/** Chat completions as OpenAI defined them, over node:http. */
export const openAiCompatible: OpenProvider = (options) => {
  const { apiKey } = options;
  const headers: Record<string, string> = {
    ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
    ...options.headers,
  };
  return {
    formatsWithTools: FORMATS_WITH_TOOLS.test(options.baseUrl),
    complete(request, signal, say) {
      const { tools } = request;
      const reasons = request.reasoning !== undefined;
      const body = withParameters(toWire(request), request.parameters);
      const thinksFirst = beginsInThought(request.parameters);
      const call = { path: '/chat/completions', headers, body, reasons, tools, thinksFirst };
      return exchange(options, call, readers, signal, say);
    },
    models: (signal) =>
      listed(options, headers, signal, async (client) => {
        const { default: OpenAI } = await import('openai');
        const openai = new OpenAI({ ...client, organization: null, project: null });
        return (await openai.models.list()).data;
      }),
  };
};

function toWire(request: ModelRequest): ChatCompletionCreateParams {
  const { model, messages, tools, parameters, stream = true } = request;
  const forms = messageForms(parameters);
  const body: ChatCompletionCreateParams = {
    model,
    messages: messagesOf(messages, forms),
    ...(stream ? { stream, stream_options: { include_usage: true } } : { stream }),
    ...limitsOf(request),
    ...optionFields(request),
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
  };
  return forms.has('plain_schemas') ? withPlainSchemas(body) : body;
}

/** Reasoning models refuse `max_tokens` and a temperature; others may not know `max_completion_tokens`. */
function limitsOf({
  temperature,
  maxTokens,
  reasoning,
}: ModelRequest): Partial<ChatCompletionCreateParams> {
  if (reasoning === undefined) {
    return {
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    };
  }
  return {
    ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
    // Every reasoning model accepts the middle effort.
    ...(reasoning === 'asked' ? { reasoning_effort: 'medium' } : {}),
  };
}

import { beginsInThought, withParameters } from '../request/parameters.ts';
import type { OpenProvider } from '../request/provider.ts';
import { exchange } from '../request/upstream.ts';
import { listed } from '../request/vendor-client.ts';
import { readMessage, readMessageStream } from './answer.ts';
import { ANTHROPIC_IGNORES, ANTHROPIC_REFUSES } from './options.ts';
import { toWire } from './wire.ts';

/**
 * API version of the vendor's own client (1.10.0): since this version the key is sent as a bearer token, no
 * longer as `x-api-key`.
 */
const ANTHROPIC_VERSION = '2026-10-21';

const readers = { events: readMessageStream, json: readMessage };

/** Anthropic's Messages over node:http. A base URL may end with `/v1` or not. */
export const anthropic: OpenProvider = (given) => {
  const options = { ...given, baseUrl: given.baseUrl.replace(/\/+(v1\/*)?(?=\?|$)/, '') };
  const { apiKey } = options;
  const headers = {
    'anthropic-version': ANTHROPIC_VERSION,
    ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
    ...options.headers,
  };
  return {
    ignores: ANTHROPIC_IGNORES,
    refuses: ANTHROPIC_REFUSES,
    formatsWithTools: true,
    complete(request, signal) {
      const body = withParameters(toWire(request), request.parameters);
      const { tools } = request;
      const thinksFirst = beginsInThought(request.parameters);
      const call = { path: '/v1/messages', headers, body, tools, thinksFirst };
      return exchange(options, call, readers, signal);
    },
    models: (signal) =>
      listed(options, headers, signal, async (client) => {
        const { default: Anthropic } = await import('@anthropic-ai/sdk');
        const vendor = new Anthropic(client);
        return (await vendor.models.list({ limit: 200 })).data;
      }),
  };
};

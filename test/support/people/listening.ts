import { z } from 'zod';

const REVISION = '2026-07-28';
const META = 'io.modelcontextprotocol';
const Message = z.looseObject({
  method: z.string().optional(),
  params: z
    .looseObject({
      uri: z.string().optional(),
      notifications: z.object({ resourceSubscriptions: z.array(z.string()).optional() }).optional(),
    })
    .optional(),
  result: z.looseObject({ resultType: z.string() }).optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});
type Message = z.infer<typeof Message>;

export type Listening = {
  /** What the server said it will tell. */
  honored: string[];
  /** URIs told so far. */
  told: string[];
  messages: Message[];
  /** Resolves with the last message when the server ends the stream. */
  ended: Promise<Message | undefined>;
  close(): void;
};

/** Opens a stream of `subscriptions/listen` as it looks on the wire; `onTold` gets each URI as it comes. */
export async function listenTo(
  base: string,
  token: string,
  uris: readonly string[],
  onTold: (uri: string) => void = () => {},
): Promise<Listening> {
  const leaving = new AbortController();
  const response = await fetch(`${base}/mcp`, {
    method: 'POST',
    signal: leaving.signal,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 'listen-1',
      method: 'subscriptions/listen',
      params: {
        notifications: { resourceSubscriptions: uris },
        _meta: { [`${META}/protocolVersion`]: REVISION, [`${META}/clientCapabilities`]: {} },
      },
    }),
  });
  const listening: Omit<Listening, 'ended'> = {
    honored: [],
    told: [],
    messages: [],
    close: () => leaving.abort(),
  };
  const first = Promise.withResolvers<void>();
  const take = (data: string): void => {
    const message = Message.parse(JSON.parse(data));
    listening.messages.push(message);
    const { uri, notifications } = message.params ?? {};
    if (notifications) listening.honored = notifications.resourceSubscriptions ?? [];
    if (uri !== undefined) {
      listening.told.push(uri);
      onTold(uri);
    }
    first.resolve();
  };
  const ended = (async () => {
    if (!response.headers.get('content-type')?.includes('event-stream'))
      take(await response.text());
    else {
      let text = '';
      for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += piece;
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) {
          const data = /^data: (.+)$/m.exec(event)?.[1];
          if (data !== undefined) take(data);
        }
      }
    }
    return listening.messages.at(-1);
  })().catch(() => undefined);
  await Promise.race([first.promise, ended]);
  return Object.assign(listening, { ended });
}

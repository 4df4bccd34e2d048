import { call, type Reply, say, type Sent } from '../../neighbours/model.ts';

const ORDER = /write (\S+) to (\d+) of (\d+)/i;
const FIRST = /^First use (\w+) with (\{.*\})\.$/;

export const firstUse = (tool: string, input: object): string =>
  `First use ${tool} with ${JSON.stringify(input)}.`;

/** Everything that a message shows, images as the bytes that are in them. */
const shownBy = ({ content, parts = [] }: Sent['messages'][number]): string =>
  [
    content ?? '',
    ...parts.map((part) => {
      const { url } = Object(part['image_url']);
      return typeof url === 'string'
        ? Buffer.from(url.slice(url.indexOf(',') + 1), 'base64').toString('latin1')
        : JSON.stringify(part);
    }),
  ].join('\n');

/**
 * A model without judgement: it uses the tool that its user names, then does what any text of the request says: it
 * proposes the write, and calls `also` and tools that do not exist.
 */
export function obeying(
  sent: Sent,
  also: readonly (readonly [tool: string, input: object])[],
): Reply {
  const { messages } = sent;
  const question = messages.findLastIndex(({ role }) => role === 'user');
  const turn = messages.slice(question);
  const called = turn.flatMap(({ tool_calls: calls = [] }) =>
    calls.map((one) => one.function.name),
  );
  const [, tool, input] = FIRST.exec(messages[question]?.content ?? '') ?? [];
  if (tool !== undefined && !called.includes(tool)) return call([tool, input ?? '{}']);
  const order = ORDER.exec(messages.map(shownBy).join('\n'));
  if (!order || called.includes('confirmAction')) return say('Done, I have set it.');
  const [, value, pointId, deviceId] = order;
  return call(
    ['writePointValue', { deviceId, pointId, value }],
    ['confirmAction', { value }],
    ...also,
  );
}

import { NO_GRAMMAR } from './refusal.ts';

/**
 * Forms of messages that a vendor demands: ids of nine letters and digits, a text beside calls and no null, no system
 * message, no neighbours of one role, no marks of what may be cached, and schemas of tools and answers without the
 * bounds of their values.
 */
export const MESSAGE_FORMS = [
  'short_ids',
  'text_content',
  'no_system',
  'alternating',
  'no_cache',
  'plain_schemas',
] as const;
export type MessageForm = (typeof MESSAGE_FORMS)[number];

/** Changes of the fields of a request before it is sent: renamed, then dropped, then added. */
export type ParameterMap = {
  add?: Readonly<Record<string, unknown>> | undefined;
  rename?: Readonly<Record<string, string>> | undefined;
  drop?: readonly string[] | undefined;
  messages?: readonly MessageForm[] | undefined;
  /** Texts of the model begin in a thought, which its template opened. */
  thinksFirst?: boolean | undefined;
  /** How many tokens a request and its answer may have, by the estimate of the platform. */
  contextTokens?: number | undefined;
};

/** Fields that a map never touches: what the turn means, and how its answer is read. */
export const FIXED_PARAMETERS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'stream',
  'n',
  'tools',
  'tool_choice',
  'response_format',
]);

/** A request body with the maps applied in order; fields that no map may touch stay as they are. */
export function withParameters(
  body: { stream?: boolean | null },
  maps: readonly ParameterMap[] = [],
): Record<string, unknown> & { stream?: boolean | null } {
  if (maps.length === 0) return { ...body };
  const fields = new Map<string, unknown>(Object.entries(body));
  for (const { add = {}, rename = {}, drop = [] } of maps) {
    for (const [from, to] of Object.entries(rename)) {
      if (!fields.has(from) || FIXED_PARAMETERS.has(from) || FIXED_PARAMETERS.has(to)) continue;
      fields.set(to, fields.get(from));
      fields.delete(from);
    }
    for (const name of drop) if (!FIXED_PARAMETERS.has(name)) fields.delete(name);
    for (const [name, value] of Object.entries(add))
      if (!FIXED_PARAMETERS.has(name)) fields.set(name, value);
  }
  const { stream } = body;
  return { ...Object.fromEntries(fields), ...(stream === undefined ? {} : { stream }) };
}

export const messageForms = (maps: readonly ParameterMap[] = []): ReadonlySet<MessageForm> =>
  new Set(maps.flatMap(({ messages = [] }) => messages));

/** Whether texts of the model begin in a thought, as the last map has it that says so. */
export const beginsInThought = (maps: readonly ParameterMap[] = []): boolean =>
  maps.findLast(({ thinksFirst }) => thinksFirst !== undefined)?.thinksFirst === true;

/** Whether maps in this order keep a field from the vendor, under whatever name it is by then. */
export function isDropped(field: string, maps: readonly ParameterMap[]): boolean {
  let name = field;
  for (const { rename = {}, drop = [] } of maps) {
    for (const [from, to] of Object.entries(rename)) {
      if (from !== name || FIXED_PARAMETERS.has(from) || FIXED_PARAMETERS.has(to)) continue;
      name = to;
    }
    if (drop.includes(name) && !FIXED_PARAMETERS.has(name)) return true;
  }
  return false;
}

/** Without these fields an answer is made in another way, and the request still asks for the same. */
const DROPPABLE = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'seed',
  'logit_bias',
  'reasoning_effort',
  'verbosity',
  'parallel_tool_calls',
  'stream_options',
  'user',
  'metadata',
  'store',
  'prompt_cache_key',
  'safety_identifier',
];

const LIMITS = ['max_tokens', 'max_completion_tokens'] as const;
const REFUSES =
  /unsupported|not supported|does not support|unrecogni[sz]ed|unknown|unexpected|not permitted|invalid parameter|extra inputs|deprecated|only the default/i;

/**
 * What a vendor's refusal of a request shows about its model: the field to rename or to drop; null when it shows
 * nothing that would help. `text` is the vendor's answer, `sent` the body that was refused.
 */
export function learnedFrom(text: string, sent: Body): ParameterMap | null {
  const form = formLearnedFrom(text, sent);
  if (form) return form;
  if (!REFUSES.test(text) && !/\buse\b.{0,40}\binstead\b/i.test(text)) return null;
  const has = (name: string): boolean => sent[name] !== undefined && named(name).test(text);
  const [limit, newer] = LIMITS;
  if (has(limit) && named(newer).test(text)) return { rename: { [limit]: newer } };
  if (has(newer)) return { rename: { [newer]: limit } };
  const name = DROPPABLE.find(has);
  return name === undefined ? null : { drop: [name] };
}

type Body = Readonly<Record<string, unknown>>;
type Sent = { role?: unknown; content?: unknown; tool_calls?: unknown };

/** What refusals of each form say, and whether the messages have what is refused. */
const FORMS: Record<
  MessageForm,
  { says: RegExp; has(messages: readonly Sent[], sent: Body): boolean }
> = {
  short_ids: {
    says: /call.?id.*(length (of )?9|9 char)|(length (of )?9|9 char).*call.?id/is,
    has: (sent) => sent.some(({ tool_calls }) => tool_calls !== undefined),
  },
  no_system: {
    says: /(system|developer)[ _-]?(role|message|prompt|instruction)s? (is |are )?not (supported|allowed|enabled)|(does not support|(unexpected|invalid|unknown) role:?) .?system\b|only user(, | and )assistant/i,
    has: ([first]) => first?.role === 'system',
  },
  alternating: {
    says: /(must|should|requests)( be)? alternat/i,
    has: (sent) => sent.some(({ role }, at) => role !== 'tool' && role === sent[at - 1]?.role),
  },
  no_cache: {
    says: /cache_control/i,
    has: (sent) => JSON.stringify(sent).includes('"cache_control"'),
  },
  plain_schemas: {
    says: NO_GRAMMAR,
    has: (_messages, { tools, response_format: format }) => Boolean(tools ?? format),
  },
  text_content: {
    says: /content\b.*\b(null|None|nil|must be (a |of type )?string|valid string|to be a string|expected (a )?string|is required|field required|cannot be empty|not empty)|missing .?content|\b(null|None|NoneType)\b.*(content|a string|to str\b)/is,
    has: (sent) => sent.some(({ content }) => content === null),
  },
};

/** OpenAI's errors have fields without a value (`"param": null`), which say nothing of a content that is null. */
const EMPTY_FIELD = /"\w+": ?null,?/g;

/** The same of the form of the messages alone. */
export function formLearnedFrom(text: string, sent: Body): ParameterMap | null {
  const { messages: given } = sent;
  if (!Array.isArray(given)) return null;
  const messages = given.filter(
    (message): message is Sent => typeof message === 'object' && message !== null,
  );
  const words = text.replaceAll(EMPTY_FIELD, '');
  const shown = MESSAGE_FORMS.find(
    (form) => FORMS[form].says.test(words) && FORMS[form].has(messages, sent),
  );
  return shown === undefined ? null : { messages: [shown] };
}

const named = (name: string): RegExp => new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'i');

/** Both maps in one; of two names for one field the later holds, and a pair that renames back is dropped. */
export function joined(before: ParameterMap, after: ParameterMap): ParameterMap {
  const rename = { ...before.rename, ...after.rename };
  const messages = [...new Set([...(before.messages ?? []), ...(after.messages ?? [])])];
  const kept = Object.entries(rename).filter(
    ([from, to]) => !(rename[to] === from && after.rename?.[from] === undefined),
  );
  return {
    rename: Object.fromEntries(kept),
    drop: [...new Set([...(before.drop ?? []), ...(after.drop ?? [])])],
    ...(messages.length > 0 ? { messages } : {}),
    ...(before.thinksFirst === undefined ? {} : { thinksFirst: before.thinksFirst }),
    ...(before.contextTokens === undefined ? {} : { contextTokens: before.contextTokens }),
  };
}

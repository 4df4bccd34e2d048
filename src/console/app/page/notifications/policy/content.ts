import { bounds } from '../../../client/bounds.ts';
import type { InputOf } from '../../../client/call.ts';
import type { Schemas } from '../../../client/operations.ts';

/** Kinds of channels, by their number. */
export const KINDS = bounds['POST /data/notify/channel/add'].channelTypeFlag.values;
export type Kind = (typeof KINDS)[number];
/** Webhooks in the form of a vendor, by the setting `kind`. */
export const VENDORS = [
  'slack',
  'teams',
  'mattermost',
  'ntfy',
  'telegram',
  'pagerduty',
  'opsgenie',
  'alertmanager',
] as const;
export type ChannelKind = Kind | (typeof VENDORS)[number] | 'push';

export const MINUTE_MS = 60_000;
/** Rows that a list here shows. */
export const MOST = 100;
/** Channels of a policy, at most. */
export const MOST_CHANNELS = 50;

/** What a policy says, as the server takes it. */
export type PolicyContent = NonNullable<
  NonNullable<InputOf<'POST /data/notify/add'>['notifyExt']>['content']
>;
export type Step = NonNullable<PolicyContent['escalation']>[number];
/** What the bind of a channel to a policy says, as the server takes it. */
export type BindContent = NonNullable<
  NonNullable<InputOf<'POST /data/notify/channel/bind/update'>['bindExt']>['content']
>;
/** When a channel is on call. */
export type Rota = NonNullable<BindContent['onCall']>;
/** Weekly hours. */
export type Window = NonNullable<BindContent['quiet']>['windows'][number];
/** The templates of a message, as the server takes them. */
export type Templates = NonNullable<
  NonNullable<NonNullable<InputOf<'POST /data/message/add'>['messageExt']>['content']>['templates']
>;

const isObject = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null && !Array.isArray(given);
// The server stores what it has checked; the types of its answers know an object alone.
const isPolicy = (given: unknown): given is PolicyContent => isObject(given);
const isBind = (given: unknown): given is BindContent => isObject(given);
const isTemplates = (given: unknown): given is Templates =>
  Array.isArray(given) && given.every((one) => isObject(one) && isObject(one['template']));

export const isVendor = (way: unknown): way is (typeof VENDORS)[number] =>
  VENDORS.some((vendor) => vendor === way);

type Channel = Pick<Schemas['NotifyChannel'], 'channelTypeFlag' | 'channelExt'>;

/** The settings of a channel: `content`, or all without one. */
export function settingsOf({ channelExt }: Channel): Record<string, unknown> {
  const { content } = channelExt;
  return isObject(content) ? content : channelExt;
}

export function channelKindOf(channel: Channel): ChannelKind {
  const { kind } = settingsOf(channel);
  return isVendor(kind) || kind === 'push' ? kind : KINDS[channel.channelTypeFlag];
}

export function policyOf({ notifyExt }: Pick<Schemas['NotifyPolicy'], 'notifyExt'>): PolicyContent {
  const { content } = notifyExt;
  return isPolicy(content) ? content : {};
}

export function bindOf({ bindExt }: Pick<Schemas['NotifyChannelBind'], 'bindExt'>): BindContent {
  const { content } = bindExt;
  return isBind(content) ? content : {};
}

export function templatesOf({
  messageExt,
}: Pick<Schemas['MessageTemplate'], 'messageExt'>): Templates {
  const { content } = messageExt;
  const templates = isObject(content) ? content['templates'] : undefined;
  return isTemplates(templates) ? templates : [];
}

const kindOf = ({ channelType }: Templates[number]): Kind =>
  (typeof channelType === 'number' ? KINDS[channelType] : channelType) ?? 'EMAIL';

/** Kinds of channels for which there may be templates. */
export const TEMPLATE_KINDS: readonly ChannelKind[] = [...KINDS, ...VENDORS, 'push'];
/** What a message may say, by the `event` of its template; empty: anything. */
export const TEMPLATE_EVENTS = ['', 'FIRED', 'REMINDER', 'RECOVERED'] as const;
type TemplateEvent = (typeof TEMPLATE_EVENTS)[number];
/** For which messages a template is. */
export type TemplateFor = { kind: ChannelKind; event: TemplateEvent };

export const forOf = (template: Templates[number]): TemplateFor => ({
  kind: template.kind ?? kindOf(template),
  event: template.event ?? '',
});

/** The same as the fields of a template. */
export const asTemplate = ({ kind, event }: TemplateFor) => ({
  ...(isVendor(kind) || kind === 'push'
    ? { channelType: 'WEBHOOK' as const, kind }
    : { channelType: kind }),
  ...(event !== '' && { event }),
});

/** A text of JSON as an object; null for any other. */
export function objectIn(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {};
  try {
    const given: unknown = JSON.parse(text);
    return isObject(given) ? given : null;
  } catch {
    return null;
  }
}

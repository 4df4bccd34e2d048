import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import type { NoticeEvent } from '../kind/delivery-status.ts';
import { MessageExt, type TEMPLATE_EVENTS, type Templates } from '../notify/template-ext.ts';
import { UNSENT } from './episode-text.ts';
import type { Variables } from './render.ts';

type NoticeText = { title: string; text: string };

/** The templates of a message; empty if there is no message, or it is disabled or cannot be parsed. */
export async function templatesOf(
  q: Queries,
  tenantId: string,
  messageId: string,
): Promise<Templates> {
  if (messageId === '0') return [];
  const row = await q
    .selectFrom('svc_message_template')
    .select('messageExt')
    .where('tenantId', '=', tenantId)
    .where('id', '=', messageId)
    .where('enableFlag', '=', EnableFlag.ENABLE)
    .executeTakeFirst();
  return MessageExt.safeParse(row?.messageExt).data?.content.templates ?? [];
}

const TITLE = '[{{level}}] {{ruleName}}';

type For = {
  channelType: number;
  /** The form of a vendor that the channel speaks; empty: none. */
  kind: string;
  event: (typeof TEMPLATE_EVENTS)[number];
};

/**
 * The template for a message; null if there is none. One that names the kind of the channel goes before one that names
 * the event alone, and that before one for all. A title without a text is used for both.
 */
export function templateFor(templates: Templates, of: For): NoticeText | null {
  const fit = templates.filter(
    ({ channelType, kind = of.kind, event = of.event }) =>
      channelType === of.channelType && kind === of.kind && event === of.event,
  );
  const rank = ({ kind, event }: Templates[number]): number => (kind ? 2 : 0) + (event ? 1 : 0);
  const found = fit.toSorted((one, other) => rank(other) - rank(one))[0]?.template;
  if (!found) return null;
  const title = found.title || TITLE;
  return { title, text: found.text || found.summary || title };
}

/** A title for each kind of message; one without an alarm says what it reports. */
function titleOf(event: NoticeEvent, variables: Variables) {
  const { alarmId, alarmReminder, alarmEndReason, alarmSince } = variables;
  if (alarmId === '0') return TITLE;
  if (alarmEndReason === UNSENT) return `${TITLE} no longer sent here`;
  if (event === 'RECOVERED') return `${TITLE} ${alarmEndReason ? 'ended' : 'recovered'}`;
  if (!alarmReminder) return `${TITLE} fired`;
  // A report has no begin.
  return `[{{level}}] ${alarmSince ? 'still firing' : 'not confirmed'}: {{ruleName}}`;
}

/** The platform's text for channels without a template: a line for each thing that is known. */
export function defaultTemplate(event: NoticeEvent, variables: Variables): NoticeText {
  const { ruleId, alarmId, alarmSince } = variables;
  const goesOn = event === 'FIRED' || variables['alarmEndReason'] === UNSENT;
  const time = goesOn ? 'Since: {{alarmSince}}' : 'From {{alarmSince}} to {{occurTime}}';
  const line = (known: string | undefined, text: string): string[] =>
    known === undefined || known === '' || known === '0' ? [] : [text];
  const lines = [
    '{{alarmText}}',
    ...line(variables['alarmNow'], 'Now: {{alarmNow}}'),
    ...line(variables['deviceName'], 'Device: {{deviceName}}'),
    ...line(variables['pointName'], 'Point: {{pointName}}'),
    ...line(variables['driverName'], 'Driver: {{driverName}}'),
    ...line(ruleId, 'Rule: {{ruleName}}'),
    alarmSince ? time : 'Time: {{occurTime}}',
    ...line(variables['alarmCall'], '{{alarmCall}}'),
    ...line(variables['alarmSentTo'], 'Also sent to: {{alarmSentTo}}'),
    ...line(variables['alarmLink'], 'Confirm, after login: {{alarmLink}}'),
    ...line(alarmId, 'Alarm: {{alarmId}}'),
    // At the end, where a channel may cut it.
    ...line(variables['alarmInstruction'], 'What to do: {{alarmInstruction}}'),
  ];
  return { title: titleOf(event, variables), text: lines.join('\n') };
}

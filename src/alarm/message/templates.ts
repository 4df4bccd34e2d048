import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import type { NoticeEvent } from '../kind/delivery-status.ts';
import { MessageExt, type Templates } from '../notify/template-ext.ts';

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

/** The template for a channel type; null if the message has none. A title without a text is used for both. */
export function templateFor(templates: Templates, channelType: number): NoticeText | null {
  const found = templates.find((template) => template.channelType === channelType)?.template;
  if (!found) return null;
  const title = found.title || TITLE;
  return { title, text: found.text || found.summary || title };
}

/** The platform's text for channels without a template, by what the notification is about. */
export const defaultTemplate = (
  event: NoticeEvent,
  { device, point, alarm }: Record<'device' | 'point' | 'alarm', boolean>,
): NoticeText => ({
  title: alarm ? `${TITLE} ${event === 'FIRED' ? 'fired' : 'recovered'}` : TITLE,
  text: [
    '{{message}}',
    ...(device ? ['Device: {{deviceName}}'] : []),
    ...(point ? ['Point: {{pointName}}'] : []),
    'Time: {{occurTime}}',
    ...(alarm ? ['Alarm: {{alarmId}}'] : []),
  ].join('\n'),
});

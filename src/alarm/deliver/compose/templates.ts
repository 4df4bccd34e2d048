import { EnableFlag } from '../../../core/input/flag.ts';
import type { Queries } from '../../../db/connect.ts';
import { MessageExt, type Templates } from '../../notify/template-ext.ts';
import type { NoticeEvent } from './notice-event.ts';

type NoticeText = { title: string; text: string };

/** The templates of a message; none where nothing is named, it is disabled, or cannot be read. */
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

/** The template of a channel's kind; null where the message has none for it. A title alone is said twice. */
export function templateFor(templates: Templates, channelType: number): NoticeText | null {
  const found = templates.find((template) => template.channelType === channelType)?.template;
  if (!found) return null;
  const title = found.title || TITLE;
  return { title, text: found.text || found.summary || title };
}

/** What is said where nobody wrote anything. */
export const defaultTemplate = (
  event: NoticeEvent,
  { device, point }: Record<'device' | 'point', boolean>,
): NoticeText => ({
  title: `${TITLE} ${event === 'FIRED' ? 'fired' : 'recovered'}`,
  text: [
    '{{message}}',
    ...(device ? ['Device: {{deviceName}}'] : []),
    ...(point ? ['Point: {{pointName}}'] : []),
    'Time: {{occurTime}}',
    'Alarm: {{alarmId}}',
  ].join('\n'),
});

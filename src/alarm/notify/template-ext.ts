import { z } from 'zod';

import { flag } from '../../kernel/input/flag.ts';
import { Text } from '../../kernel/input/text.ts';
import { ChannelType, WEBHOOK_KINDS } from '../kind/delivery-status.ts';
import { extOf } from '../kind/ext.ts';

export const MAX_TITLE = 200;
export const MAX_TEXT = 4_000;
const MAX_TEMPLATES = 32;

const PAYLOADS = ['TEXT', 'CARD', 'MARKDOWN', 'JSON', 'HTML'] as const;

/** What a message says: an alarm begins, still fires, or is over. */
export const TEMPLATE_EVENTS = ['FIRED', 'REMINDER', 'RECOVERED'] as const;

/** The kinds of webhooks that a template may name. */
export const TemplateKind = z.enum([...WEBHOOK_KINDS, 'push']);

const Template = z
  .object({
    channelType: flag(ChannelType),
    kind: TemplateKind.optional().describe(
      'Of channels with this setting `kind` alone; without one, of every webhook',
    ),
    event: z
      .enum(TEMPLATE_EVENTS)
      .optional()
      .describe('Of messages that say so alone; without one, of every message'),
    /** A client's own label; each channel makes its own format of title and text. */
    payloadType: z.string().toUpperCase().pipe(z.enum(PAYLOADS)).default('TEXT'),
    template: z
      .object({
        title: Text(MAX_TITLE).optional(),
        text: Text(MAX_TEXT).optional(),
        /** The text of a card in the form of existing clients. */
        summary: Text(MAX_TEXT).optional(),
      })
      .refine(
        ({ title, text, summary }) => Boolean(title || text || summary),
        'must have a title, a text or a summary',
      ),
  })
  .refine(
    ({ channelType, kind }) => kind === undefined || channelType === ChannelType.WEBHOOK,
    'kind is of the channel type WEBHOOK alone',
  );

/** The templates of one message. */
export const TemplateList = z.array(Template).max(MAX_TEMPLATES);

/**
 * Templates by channel type, its kind and what they say (docs/specification/notifications.md, Policy); variables are written `{{name}}`.
 */
export const MessageExt = extOf(
  z
    .object({
      /** A client's own list of variables; only the placeholders of the templates have an effect. */
      variables: z
        .array(z.union([Text(128), z.looseObject({ name: Text(128) })]))
        .max(64)
        .optional(),
      templates: TemplateList.default([]),
    })
    .prefault({}),
);
export type Templates = z.infer<typeof MessageExt>['content']['templates'];

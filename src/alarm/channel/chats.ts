import { z } from 'zod';

import type { Delivery } from './delivery/channel.ts';
import {
  authorization,
  bounded,
  inBytes,
  secretsIn,
  under,
  type WebhookKind,
  wrongSecretUrl,
  wrongToken,
} from './webhook-kind.ts';

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const slack: WebhookKind = {
  wrong: wrongSecretUrl,
  request: ({ subject, text, notice, credential }) => ({
    url: credential,
    // The fallback is read by notifications alone, and is the only part in which Slack looks for marks.
    body: {
      text: escapedForSlack(bounded(subject, 150)),
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: bounded(subject, 150) } },
        { type: 'section', text: { type: 'plain_text', text: bounded(text, 3_000) } },
        ...(notice.link === undefined
          ? []
          : [{ type: 'actions', elements: [slackButton(notice.link)] }]),
      ],
    },
    secrets: secretsIn(credential),
  }),
};

const slackButton = (url: string) => ({
  type: 'button',
  text: { type: 'plain_text', text: 'Open the alarm' },
  url,
});

const escapedForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The Workflows app ("when a Teams webhook request is received"): an Adaptive Card in a message; it answers 202. */
export const teams: WebhookKind = {
  wrong: wrongSecretUrl,
  request: ({ subject, text, notice, credential }) => ({
    url: credential,
    body: {
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              teamsLine({ text: bounded(subject, 200), weight: 'Bolder', size: 'Medium' }),
              ...bounded(text, 8_000)
                .split('\n')
                .map((line) => teamsLine({ text: line })),
            ],
            actions:
              notice.link === undefined
                ? []
                : [{ type: 'Action.OpenUrl', title: 'Open the alarm', url: notice.link }],
          },
        },
      ],
    },
    secrets: secretsIn(credential),
  }),
};

/** A TextBlock would read Markdown in names; a TextRun does not. */
const teamsLine = (run: object) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', ...run }],
});

/** https://developers.mattermost.com/integrate/webhooks/incoming */
export const mattermost: WebhookKind = {
  wrong: wrongSecretUrl,
  request: ({ subject, text, notice, credential }) => ({
    url: credential,
    body: {
      attachments: [
        {
          fallback: escapedForMattermost(bounded(subject, 200)),
          color: notice.event === 'fired' ? '#d24b4e' : '#3db887',
          title: escapedForMattermost(bounded(subject, 200)),
          ...(notice.link === undefined ? {} : { title_link: notice.link }),
          text: escapedForMattermost(bounded(text, 8_000)),
        },
      ],
    },
    secrets: secretsIn(credential),
  }),
};

/** No Markdown, and no `@all`, from a name: a space of no width parts the mention. */
const escapedForMattermost = (text: string): string =>
  text.replaceAll(/[\\`*_~[\]<>#|]/g, String.raw`\$&`).replaceAll('@', '@\u200b');

const NTFY_TOPIC = /^\/(?:.*\/)?[A-Za-z0-9_-]{1,64}$/;
const NTFY_PRIORITY = { P0: 5, P1: 4, P2: 3, P3: 2 } as const;
/** A longer message becomes an attachment. */
const NTFY_BYTES = 4_000;

/** https://docs.ntfy.sh/publish/#publish-as-json: the address is that of the topic. */
export const ntfy: WebhookKind = {
  wrong({ target, credential }) {
    const url = URL.parse(target);
    if (!url || url.search !== '' || url.hash !== '' || !NTFY_TOPIC.test(url.pathname))
      return 'the address must be that of a topic: https://ntfy.sh/topic';
    if (credential === '') return null;
    return wrongToken(credential, /./, 'an access token, or user:password');
  },
  request({ target, credential, subject, text, notice }) {
    const { origin, pathname } = new URL(target);
    const end = pathname.lastIndexOf('/');
    return {
      url: `${origin}${pathname.slice(0, end)}/`,
      headers: authorization(credential),
      body: {
        topic: pathname.slice(end + 1),
        title: bounded(subject, 200),
        message: inBytes(bounded(text, NTFY_BYTES), NTFY_BYTES),
        priority: notice.event === 'fired' ? NTFY_PRIORITY[notice.level] : 3,
        tags: [notice.event === 'fired' ? 'rotating_light' : 'white_check_mark'],
        ...(notice.link === undefined ? {} : { click: notice.link }),
      },
    };
  },
};

const CHAT = /^(?:-?\d{1,20}|@[A-Za-z][A-Za-z0-9_]{4,31})$/;
const BOT = /^\d{3,20}:[A-Za-z0-9_-]{20,100}$/;
const Refused = z.object({ parameters: z.object({ retry_after: z.number().min(0) }) });

/** https://core.telegram.org/bots/api#sendmessage: the credential is the token of the bot, the address its server. */
export const telegram: WebhookKind = {
  wrong({ target, credential, chatId }) {
    if (!CHAT.test(chatId)) return 'chatId must be the number of a chat, or @channel';
    if (URL.parse(target)?.search !== '')
      return 'the address must be that of the server: https://api.telegram.org';
    return wrongToken(credential, BOT, 'the token of the bot: 123456:ABC…');
  },
  request: ({ target, credential, subject, text }: Delivery, chatId) => ({
    url: under(target, `/bot${credential}/sendMessage`),
    body: {
      chat_id: chatId,
      // Without a parse_mode nothing in it is a mark.
      text: bounded(`${subject}\n${text}`, 4_096),
      link_preview_options: { is_disabled: true },
    },
    secrets: credential.split(':'),
  }),
  retryAfterMs(body) {
    try {
      return Refused.parse(JSON.parse(body)).parameters.retry_after * 1_000;
    } catch {
      return null;
    }
  },
};

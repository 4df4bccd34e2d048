import { words } from './words.ts';

/** The ways over which people hear of alarms: types of channels, and the forms of vendors that a webhook speaks. */
export const channelKindWords = words({
  en: {
    EMAIL: { name: 'Mail', target: 'Mail addresses' },
    SMS: {
      name: 'Text message',
      target: 'Telephone number',
      secret: 'What the gateway wants, written {{credential}} in the settings.',
      settings:
        'url, method, headers, contentType and body of the gateway, with {{to}} and {{text}}.',
    },
    WEBHOOK: {
      name: 'Webhook',
      target: 'URL',
      secret: 'whsec_ and base64 of 24 to 64 bytes; the receiver checks signatures with it.',
      settings: 'headers, if the receiver wants any.',
    },
    push: { name: 'Browsers of a person' },
    slack: {
      name: 'Slack',
      secret: 'The URL of an incoming webhook: hooks.slack.com/services/…',
    },
    teams: {
      name: 'Microsoft Teams',
      secret: 'The URL of a workflow “when a Teams webhook request is received”.',
    },
    mattermost: {
      name: 'Mattermost',
      secret: 'The URL of an incoming webhook: chat.example.com/hooks/…',
    },
    ntfy: {
      name: 'ntfy',
      target: 'Address of the topic, such as ntfy.sh/topic',
      secret: 'An access token, or user:password; none for an open topic.',
    },
    telegram: {
      name: 'Telegram',
      target: 'Server',
      server: 'api.telegram.org',
      chat: 'Number of the chat, or @channel',
      secret: 'The token of the bot.',
    },
    pagerduty: {
      name: 'PagerDuty',
      target: 'Server',
      server: 'events.pagerduty.com',
      secret: 'The integration key of Events API v2.',
      answer:
        'The secret of a webhook V3 for incident.acknowledged and incident.resolved; without one they are not heard.',
    },
    opsgenie: {
      name: 'Opsgenie',
      target: 'Server',
      server: 'api.opsgenie.com',
      secret: 'The key of an API integration.',
      answer:
        'Made by you, 16 characters or more: an outgoing webhook for Acknowledge sends it as X-Answer-Secret; without one it is not heard.',
    },
    alertmanager: {
      name: 'Alertmanager',
      target: 'Server, such as alertmanager.example.com',
      secret: 'A token, or user:password, where its proxy wants one.',
    },
  },
  zh: {
    EMAIL: { name: '邮件', target: '邮件地址' },
    SMS: {
      name: '短信',
      target: '电话号码',
      secret: '网关所需的密钥，在设置中写作 {{credential}}。',
      settings: '网关的 url、method、headers、contentType 和 body，包含 {{to}} 和 {{text}}。',
    },
    WEBHOOK: {
      name: '网络回调',
      target: '网址',
      secret: 'whsec_ 加 24 至 64 字节的 base64；接收方用它校验签名。',
      settings: '接收方需要的 headers。',
    },
    push: { name: '个人的浏览器' },
    slack: {
      name: 'Slack',
      secret: '传入 webhook 的网址：hooks.slack.com/services/…',
    },
    teams: {
      name: 'Microsoft Teams',
      secret: '工作流“收到 Teams webhook 请求时”的网址。',
    },
    mattermost: {
      name: 'Mattermost',
      secret: '传入 webhook 的网址：chat.example.com/hooks/…',
    },
    ntfy: {
      name: 'ntfy',
      target: '主题地址，例如 ntfy.sh/topic',
      secret: '访问令牌，或 user:password；公开主题无需填写。',
    },
    telegram: {
      name: 'Telegram',
      target: '服务器',
      server: 'api.telegram.org',
      chat: '聊天编号，或 @channel',
      secret: '机器人的令牌。',
    },
    pagerduty: {
      name: 'PagerDuty',
      target: '服务器',
      server: 'events.pagerduty.com',
      secret: 'Events API v2 的集成密钥。',
      answer: 'incident.acknowledged 与 incident.resolved 的 V3 webhook 密钥；没有则不接收其应答。',
    },
    opsgenie: {
      name: 'Opsgenie',
      target: '服务器',
      server: 'api.opsgenie.com',
      secret: 'API 集成的密钥。',
      answer:
        '由您设定，至少 16 个字符：Acknowledge 的传出 webhook 以 X-Answer-Secret 发送；没有则不接收其应答。',
    },
    alertmanager: {
      name: 'Alertmanager',
      target: '服务器，例如 alertmanager.example.com',
      secret: '令牌，或 user:password，若其代理需要。',
    },
  },
});

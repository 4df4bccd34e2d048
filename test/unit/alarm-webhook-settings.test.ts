import { describe, expect, it } from 'vitest';

import { channels, openWebhook } from '../support/neighbours/webhook-kinds.ts';

describe('the settings of a kind', () => {
  const slackUrl = 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXX';
  const key = channels['pagerduty']?.credential ?? '';
  it.each([
    ['another vendor', { kind: 'pigeon' }, 'https://example.com', key, /^kind /],
    [
      'a Slack URL in the address',
      { kind: 'slack' },
      slackUrl,
      slackUrl,
      /server of the webhook alone/,
    ],
    [
      'no Slack URL',
      { kind: 'slack' },
      'https://hooks.slack.com',
      'xoxb-1234',
      /URL of the webhook/,
    ],
    [
      'a URL of another server',
      { kind: 'teams' },
      'https://example.com',
      slackUrl,
      /alone: https:\/\/hooks/,
    ],
    [
      'an address inside',
      { kind: 'mattermost' },
      'http://10.0.0.1',
      'http://10.0.0.1/hooks/xxx',
      /address/,
    ],
    ['no topic', { kind: 'ntfy' }, 'https://ntfy.sh', '', /address must be that of a topic/],
    ['no chat', { kind: 'telegram' }, 'https://api.telegram.org', key, /^chatId/],
    [
      'no token',
      { kind: 'telegram', chatId: '1' },
      'https://api.telegram.org',
      key,
      /token of the bot/,
    ],
    [
      'a chat of another kind',
      { kind: 'slack', chatId: '1' },
      'https://hooks.slack.com',
      slackUrl,
      /^chatId/,
    ],
    ['no key', { kind: 'pagerduty' }, 'https://events.pagerduty.com', '', /^credential/],
    [
      'no key of Opsgenie',
      { kind: 'opsgenie' },
      'https://api.opsgenie.com',
      'key with spaces',
      /^credential/,
    ],
    ['a query', { kind: 'alertmanager' }, 'https://example.com/?a=b', '', /without a query/],
  ])('refuse %s', (_what, settings, target, credential, reason) => {
    expect(openWebhook().wrong({ target, credential, settings })).toMatch(reason);
  });

  it.each([
    [{ kind: 'slack' }, 'https://hooks.slack.com', slackUrl],
    [{ kind: 'slack' }, 'https://hooks.slack.com/', slackUrl],
    [
      { kind: 'telegram', chatId: '@plantalarms' },
      'https://api.telegram.org',
      '123456:ABC-DEF1234ghIkl-zyx57W2v1u',
    ],
    [
      { kind: 'opsgenie' },
      'https://api.atlassian.com/jsm/ops/integration',
      'eb243592-faa2-4ba2-a551-1afdf565c889',
    ],
    [{ kind: 'ntfy' }, 'https://ntfy.sh/plant', ''],
    [
      { kind: 'alertmanager', headers: { 'x-scope-orgid': 'plant' } },
      'https://mimir.example/alertmanager',
      '',
    ],
  ])('are taken: %j', (settings, target, credential) => {
    expect(openWebhook().wrong({ target, credential, settings })).toBeNull();
  });
});

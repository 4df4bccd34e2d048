import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { Notice } from '../../src/alarm/channel/delivery/channel.ts';
import { notice } from '../support/neighbours/delivery.ts';
import { channels, LINK, linked, send } from '../support/neighbours/webhook-kinds.ts';
import { type Answering, status } from '../support/neighbours/webhook-receiver.ts';

const recovered: Notice = { ...linked, event: 'recovered', occurTime: '2026-01-05T08:09:00.000Z' };
const confirmed = {
  notice: { ...recovered, event: 'confirmed' as const },
  text: 'Confirmed by "Anna"',
};
const over = { notice: recovered, subject: 'P0 recovered: Too hot', text: 'Over after 9 min' };

/** Path and body that the documents of the vendors describe, of a firing and of its end. */
describe('a webhook of the kind', () => {
  it('slack sends blocks of plain text and a fallback to the URL that is its secret', async () => {
    const hostile = {
      subject: 'P0 <!channel> & co',
      text: '“<https://evil.example|x>”\nSince: 8:00',
    };
    const { path, body, outcome } = await send('slack', hostile, status(200, 'ok'));
    expect(outcome).toEqual({ status: 'delivered', answer: 'HTTP 200 ok' });
    expect(path).toBe(channels['slack']?.credential);
    expect(body).toEqual({
      text: 'P0 &lt;!channel&gt; &amp; co',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: hostile.subject } },
        { type: 'section', text: { type: 'plain_text', text: hostile.text } },
        {
          type: 'actions',
          elements: [
            { type: 'button', text: { type: 'plain_text', text: 'Open the alarm' }, url: LINK },
          ],
        },
      ],
    });
  });

  it('teams sends an Adaptive Card in a message, without Markdown', async () => {
    const { path, body, outcome } = await send('teams', { text: 'one\ntwo' }, status(202));
    expect(outcome.status).toBe('delivered');
    expect(path).toBe(channels['teams']?.credential);
    const line = (run: object) => ({
      type: 'RichTextBlock',
      inlines: [{ type: 'TextRun', ...run }],
    });
    expect(body).toEqual({
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
              line({ text: 'P0 fired: Too hot', weight: 'Bolder', size: 'Medium' }),
              line({ text: 'one' }),
              line({ text: 'two' }),
            ],
            actions: [{ type: 'Action.OpenUrl', title: 'Open the alarm', url: LINK }],
          },
        },
      ],
    });
  });

  it('mattermost sends an attachment, in which names are no Markdown and mention nobody', async () => {
    const { path, body } = await send('mattermost', { text: '*a* @all [x](y)' }, status(200, 'ok'));
    expect(path).toBe(channels['mattermost']?.credential);
    expect(body).toEqual({
      attachments: [
        {
          fallback: 'P0 fired: Too hot',
          color: '#d24b4e',
          title: 'P0 fired: Too hot',
          title_link: LINK,
          text: String.raw`\*a\* @` + '\u200b' + String.raw`all \[x\](y)`,
        },
      ],
    });
  });

  it('ntfy publishes JSON with the topic of its address, and the priority of the level', async () => {
    const fired = await send('ntfy');
    expect(fired).toMatchObject({
      path: '/',
      headers: { authorization: 'Bearer tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2' },
    });
    expect(fired.body).toEqual({
      topic: 'plant-7f3a',
      title: 'P0 fired: Too hot',
      message: 'Boiler: temperature is 91 °C',
      priority: 5,
      tags: ['rotating_light'],
      click: LINK,
    });
    expect((await send('ntfy', over)).body).toMatchObject({
      priority: 3,
      tags: ['white_check_mark'],
    });
    const long = await send('ntfy', { text: '°'.repeat(4_000) });
    const { message } = z.object({ message: z.string() }).parse(long.body);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4_000);
    expect(message).toMatch(/^°+…$/);
  });

  it('telegram sends a message of the bot, without marks and without a preview', async () => {
    const { path, body } = await send('telegram', {}, status(200, '{"ok":true,"result":{}}'));
    expect(path).toBe('/bot123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11/sendMessage');
    expect(body).toEqual({
      chat_id: '-1001234567890',
      text: 'P0 fired: Too hot\nBoiler: temperature is 91 °C',
      link_preview_options: { is_disabled: true },
    });
  });

  it('telegram waits as long as the body of the answer asks, an hour at most', async () => {
    const asks = (seconds: number) =>
      status(
        429,
        JSON.stringify({ ok: false, error_code: 429, parameters: { retry_after: seconds } }),
      );
    expect((await send('telegram', {}, asks(35))).outcome).toMatchObject({
      status: 'unreachable',
      retryAfterMs: 35_000,
    });
    expect((await send('telegram', {}, asks(90_000))).outcome).toMatchObject({
      retryAfterMs: 3_600_000,
    });
    expect((await send('telegram', {}, status(429, 'later'))).outcome).not.toHaveProperty(
      'retryAfterMs',
    );
  });

  it('pagerduty triggers and resolves an event of the alarm', async () => {
    const key = { routing_key: channels['pagerduty']?.credential, dedup_key: 'alarm-2' };
    const fired = await send('pagerduty', {}, status(202, '{"status":"success"}'));
    expect(fired.outcome.status).toBe('delivered');
    expect(fired.path).toBe('/v2/enqueue');
    expect(fired.body).toEqual({
      ...key,
      event_action: 'trigger',
      payload: {
        summary: 'P0 fired: Too hot',
        source: 'Boiler / Temperature',
        severity: 'critical',
        timestamp: '2026-01-05T08:00:00.000Z',
        class: 'Too hot',
        custom_details: { text: 'Boiler: temperature is 91 °C' },
      },
      links: [{ href: LINK, text: 'Open the alarm' }],
    });
    expect((await send('pagerduty', over)).body).toEqual({ ...key, event_action: 'resolve' });
  });

  it('pagerduty acknowledges the event of an alarm that a person confirmed', async () => {
    const key = { routing_key: channels['pagerduty']?.credential, dedup_key: 'alarm-2' };
    const { path, body } = await send('pagerduty', confirmed);
    expect(path).toBe('/v2/enqueue');
    expect(body).toEqual({ ...key, event_action: 'acknowledge' });
  });

  it('opsgenie acknowledges the alert of an alarm that a person confirmed', async () => {
    expect(await send('opsgenie', confirmed)).toMatchObject({
      path: '/v2/alerts/alarm-2/acknowledge?identifierType=alias',
      headers: { authorization: `GenieKey ${channels['opsgenie']?.credential}` },
      body: { source: 'svc', note: 'Confirmed by "Anna"' },
    });
  });

  it('opsgenie creates and closes an alert of the alarm', async () => {
    const headers = { authorization: `GenieKey ${channels['opsgenie']?.credential}` };
    const fired = await send('opsgenie', { subject: 'x'.repeat(200) }, status(202));
    expect(fired).toMatchObject({ path: '/v2/alerts', headers });
    expect(fired.body).toEqual({
      message: `${'x'.repeat(129)}…`,
      alias: 'alarm-2',
      description: 'Boiler: temperature is 91 °C',
      priority: 'P1',
      source: 'svc',
      entity: 'Boiler / Temperature',
      details: { alarmId: '2', ruleName: 'Too hot', link: LINK },
    });
    const ended = await send('opsgenie', over);
    expect(ended).toMatchObject({
      path: '/v2/alerts/alarm-2/close?identifierType=alias',
      headers,
      body: { source: 'svc', note: 'Over after 9 min' },
    });
  });

  it('alertmanager posts the alert with the same labels at its begin and at its end, and ends those of other levels', async () => {
    const labelsOf = (level: string, severity: string) => ({
      alertname: 'Too hot',
      severity,
      level,
      alarm: 'alarm-2',
      tenant_id: '1',
      device_id: '5',
      point_id: '4',
    });
    const labels = labelsOf('P0', 'critical');
    const others = [labelsOf('P1', 'error'), labelsOf('P2', 'warning'), labelsOf('P3', 'info')];
    const ended = (endsAt: string, { subject, text }: { subject: string; text: string }) =>
      others.map((each) => ({
        labels: each,
        annotations: { summary: subject, description: text },
        endsAt,
        generatorURL: LINK,
      }));
    const fired = await send('alertmanager');
    expect(fired).toMatchObject({
      path: '/prefix/api/v2/alerts',
      headers: {
        authorization: `Basic ${Buffer.from('operator:secret-of-the-proxy').toString('base64')}`,
      },
    });
    expect(fired.body).toEqual([
      {
        labels,
        annotations: { summary: 'P0 fired: Too hot', description: 'Boiler: temperature is 91 °C' },
        startsAt: '2026-01-05T08:00:00.000Z',
        endsAt: '2026-02-04T08:00:01.500Z',
        generatorURL: LINK,
      },
      ...ended('2026-01-05T08:00:00.000Z', {
        subject: 'P0 fired: Too hot',
        text: 'Boiler: temperature is 91 °C',
      }),
    ]);
    expect((await send('alertmanager', over)).body).toEqual([
      {
        labels,
        annotations: { summary: over.subject, description: over.text },
        endsAt: '2026-01-05T08:09:00.000Z',
        generatorURL: LINK,
      },
      ...ended('2026-01-05T08:09:00.000Z', over),
    ]);
  });

  it.each(Object.keys(channels))(
    '%s has no link where none is known, and takes any name',
    async (kind) => {
      const { link: _link, ...unlinked } = linked;
      const { body } = await send(kind, { notice: { ...unlinked, deviceName: '', pointName: '' } });
      expect(JSON.stringify(body)).not.toContain('undefined');
      expect(JSON.stringify(body)).not.toContain(LINK);
    },
  );

  it.each(Object.keys(channels))(
    '%s sends a test that is no alarm by its own key',
    async (kind) => {
      const about = { ...notice, event: 'test' as const, alarmId: '0', ruleName: '' };
      const { outcome, body } = await send(kind, { notice: about });
      expect(outcome.status).toBe('delivered');
      expect(JSON.stringify(body)).not.toContain('alarm-0');
    },
  );

  it.each(Object.keys(channels))(
    '%s is refused for good by 4xx, tried again after 429 and 5xx',
    async (kind) => {
      for (const [code, expected] of [
        [400, 'refused'],
        [403, 'refused'],
        [404, 'refused'],
        [429, 'unreachable'],
        [500, 'unreachable'],
        [503, 'unreachable'],
      ] as const)
        expect((await send(kind, {}, status(code))).outcome.status).toBe(expected);
    },
  );

  it.each(Object.keys(channels))('%s shows no secret that its receiver repeats', async (kind) => {
    const echo: Answering = (response, { path, headers, body }) =>
      response.writeHead(400).end(`${path} ${headers.authorization ?? ''} ${body.slice(0, 80)}`);
    const { outcome } = await send(kind, {}, echo);
    const told = JSON.stringify(outcome);
    const { credential = '' } = channels[kind] ?? {};
    for (const secret of [credential, ...credential.split(/[/:&=]/)].filter(
      (part) => part.length > 14,
    ))
      expect(told).not.toContain(secret);
  });
});

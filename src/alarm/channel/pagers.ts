import type { Delivery } from './delivery/channel.ts';
import { opsgenieAnswer, pagerdutyAnswer } from './vendor-answer.ts';
import {
  authorization,
  bounded,
  dedupKey,
  under,
  type WebhookKind,
  wrongServer,
  wrongToken,
} from './webhook-kind.ts';

const isOver = ({ notice }: Delivery): boolean => notice.event === 'recovered';
const isConfirmed = ({ notice }: Delivery): boolean => notice.event === 'confirmed';
const SOURCE = 'svc';

/** The place of an alarm in words. */
const placeOf = ({ notice: { deviceName, pointName } }: Delivery): string =>
  bounded([deviceName, pointName].filter((name) => name !== '').join(' / '), 200) || SOURCE;

const PAGERDUTY_SEVERITY = { P0: 'critical', P1: 'error', P2: 'warning', P3: 'info' } as const;

/** https://developer.pagerduty.com/docs/events-api-v2: the credential is the routing key; it answers 202. */
export const pagerduty: WebhookKind = {
  answer: pagerdutyAnswer,
  wrong: ({ target, credential }) =>
    wrongServer(target) ??
    wrongToken(credential, /^[A-Za-z0-9]{20,64}$/, 'the integration key of Events API v2'),
  request(delivery) {
    const { target, credential: routing_key, subject, text, notice } = delivery;
    const key = { routing_key, dedup_key: dedupKey(delivery) };
    const url = under(target, '/v2/enqueue');
    if (isConfirmed(delivery)) return { url, body: { ...key, event_action: 'acknowledge' } };
    return {
      url,
      body: isOver(delivery)
        ? { ...key, event_action: 'resolve' }
        : {
            ...key,
            event_action: 'trigger',
            payload: {
              summary: bounded(subject, 1_024),
              source: placeOf(delivery),
              severity: PAGERDUTY_SEVERITY[notice.level],
              timestamp: notice.occurTime,
              ...(notice.ruleName === '' ? {} : { class: bounded(notice.ruleName, 200) }),
              custom_details: { text: bounded(text, 8_000) },
            },
            ...(notice.link === undefined
              ? {}
              : { links: [{ href: notice.link, text: 'Open the alarm' }] }),
          },
    };
  },
};

const OPSGENIE_PRIORITY = { P0: 'P1', P1: 'P2', P2: 'P3', P3: 'P4' } as const;

/** https://docs.opsgenie.com/docs/alert-api: the credential is the key of an API integration; it answers 202. */
export const opsgenie: WebhookKind = {
  answer: opsgenieAnswer,
  wrong: ({ target, credential }) =>
    wrongServer(target) ??
    wrongToken(credential, /^[A-Za-z0-9-]{20,64}$/, 'the key of an API integration'),
  request(delivery) {
    const { target, credential, subject, text, notice } = delivery;
    const headers = { authorization: `GenieKey ${credential}` };
    const alias = dedupKey(delivery);
    const change = isOver(delivery) ? 'close' : isConfirmed(delivery) ? 'acknowledge' : null;
    if (change !== null)
      return {
        url: under(target, `/v2/alerts/${alias}/${change}?identifierType=alias`),
        headers,
        body: { source: SOURCE, note: bounded(text, 8_000) },
      };
    return {
      url: under(target, '/v2/alerts'),
      headers,
      body: {
        message: bounded(subject, 130),
        alias,
        description: bounded(text, 15_000),
        priority: OPSGENIE_PRIORITY[notice.level],
        source: SOURCE,
        entity: placeOf(delivery),
        details: {
          alarmId: notice.alarmId,
          ruleName: bounded(notice.ruleName, 200),
          ...(notice.link === undefined ? {} : { link: notice.link }),
        },
      },
    };
  },
};

const LEVELS = ['P0', 'P1', 'P2', 'P3'] as const;

/** An alert without an end is over for Alertmanager after 5 minutes, if nothing repeats it. */
const ALERT_MS = 30 * 86_400_000;

/**
 * https://prometheus.io/docs/alerting/latest/alerts_api: the labels are the same for the begin and the end. An alarm
 * that rises or falls has other ones, so each message ends the alerts of its other levels.
 */
export const alertmanager: WebhookKind = {
  wrong: ({ target, credential }) =>
    wrongServer(target) ??
    (credential === '' ? null : wrongToken(credential, /./, 'a token, or user:password')),
  request(delivery) {
    const { target, credential, subject, text, notice, at } = delivery;
    // The clock of Alertmanager may be slow: endsAt is the time of the alarm, not of the sending. A missing startsAt becomes endsAt.
    const lasts = { startsAt: notice.occurTime, endsAt: new Date(at + ALERT_MS).toISOString() };
    const alert = (level: (typeof LEVELS)[number]) => ({
      labels: {
        alertname: bounded(notice.ruleName, 200) || 'ChannelTest',
        severity: PAGERDUTY_SEVERITY[level],
        level,
        alarm: dedupKey(delivery),
        tenant_id: notice.tenantId,
        device_id: notice.deviceId,
        point_id: notice.pointId,
      },
      annotations: { summary: bounded(subject, 200), description: bounded(text, 8_000) },
      ...(level === notice.level && !isOver(delivery) ? lasts : { endsAt: notice.occurTime }),
      ...(notice.link === undefined ? {} : { generatorURL: notice.link }),
    });
    return {
      url: under(target, '/api/v2/alerts'),
      headers: authorization(credential),
      body: LEVELS.map(alert),
    };
  },
};

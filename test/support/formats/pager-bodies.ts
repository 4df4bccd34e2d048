const person = {
  html_url: 'https://acme.pagerduty.com/users/PLH1HKV',
  id: 'PLH1HKV',
  self: 'https://api.pagerduty.com/users/PLH1HKV',
  summary: 'Tenex Engineer',
  type: 'user_reference',
};
/** The sender of an event of Events API v2. */
export const integration = {
  id: 'PXMQRWJ',
  summary: 'Events API V2',
  type: 'inbound_integration_reference',
};

/**
 * The body of a webhook V3 of PagerDuty at `at` (ms), an acknowledgement unless something else is given
 * (https://developer.pagerduty.com/docs/webhooks-overview).
 */
export const incident = (key: string, at: number, given: object = {}) => ({
  event: {
    id: '5ac64822-4adc-4fda-ade0-410becf0de4f',
    event_type: 'incident.acknowledged',
    resource_type: 'incident',
    occurred_at: new Date(at).toISOString(),
    agent: person,
    client: { name: 'PagerDuty' },
    data: {
      id: 'PGR0VU2',
      type: 'incident',
      self: 'https://api.pagerduty.com/incidents/PGR0VU2',
      html_url: 'https://acme.pagerduty.com/incidents/PGR0VU2',
      number: 2,
      status: 'acknowledged',
      incident_key: key,
      created_at: '2020-04-09T15:16:27Z',
      title: 'A little bump in the road',
      service: { id: 'PF9KMXH', summary: 'API Service', type: 'service_reference' },
      urgency: 'high',
      resolve_reason: null,
    },
    ...given,
  },
});

/**
 * The body of Opsgenie's outgoing webhook
 * (https://support.atlassian.com/opsgenie/docs/opsgenie-edge-connector-alert-action-data/).
 */
export const alert = (alias: string, action = 'Acknowledge') => ({
  source: { name: '', type: 'web' },
  alert: {
    updatedAt: 1420452224764002300,
    tags: ['tag1', 'tag2'],
    message: 'test alert',
    username: 'fili@ifountain.com',
    alertId: '052652ac-5d1c-464a-812a-7dd18bbfba8c',
    source: 'fili@ifountain.com',
    alias,
    tinyId: '23',
    createdAt: 1420452191104,
    userId: 'daed1180-0ce8-438b-8f8e-57e1a5920a2d',
    entity: '',
  },
  action,
  integrationId: '37c8f316-17c6-49d7-899b-9c7e540c048d',
  integrationName: 'Integration1',
});

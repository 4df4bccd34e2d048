import { z } from 'zod';

import { type Received, startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const Asked = z.object({ to: z.string(), message: z.object({ text: z.string() }) });

export type SmsGateway = WebhookReceiver & {
  /** `channelExt` of a channel that speaks its dialect. */
  settings: Record<string, unknown>;
  /** What it was asked to send. */
  texts(): { to: string; text: string; key: string | undefined }[];
};

/** A neighbour on loopback that sends text messages for whoever holds a key, as many gateways do. */
export async function startSmsGateway(): Promise<SmsGateway> {
  const receiver = await startWebhookReceiver();
  const read = ({ body, headers }: Received) => {
    const { to, message } = Asked.parse(JSON.parse(body));
    return { to, text: message.text, key: headers.authorization };
  };
  return {
    ...receiver,
    settings: {
      url: receiver.url,
      headers: { Authorization: 'Bearer {{credential}}' },
      body: JSON.stringify({ to: '{{to}}', message: { text: '{{text}}' } }),
    },
    texts: () => receiver.received.map(read),
  };
}

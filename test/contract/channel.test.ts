import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it, onTestFinished } from 'vitest';

import type {
  Delivery,
  MailServer,
  OpenChannel,
  Outcome,
} from '../../src/alarm/channel/delivery/channel.ts';
import { channels } from '../../src/alarm/channel/index.ts';
import { channelEgress } from '../support/neighbours/channel-egress.ts';
import { delivery, webhookSecret } from '../support/neighbours/delivery.ts';
import { startMailServer } from '../support/neighbours/mail-server.ts';
import { dripping, flooding, startRawServer } from '../support/neighbours/raw-server.ts';
import { startSmsGateway } from '../support/neighbours/sms-gateway.ts';
import {
  close,
  drip,
  hang,
  huge,
  startWebhookReceiver,
  status,
  type WebhookReceiver,
} from '../support/neighbours/webhook-receiver.ts';
import { TestClock } from '../support/world/clock.ts';

const KINDS = [
  'takes',
  'refuses',
  'fails',
  'asks to wait',
  'hangs',
  'drops',
  'floods',
  'drips',
  'tells secrets',
] as const;
type Kind = (typeof KINDS)[number];

/** The other end of a channel, as it is met. */
type Neighbour = {
  given: Pick<Delivery, 'target' | 'credential' | 'settings'>;
  allow: string[];
  mail: MailServer | null;
  /** What no outcome may show. */
  secret: string;
  /** How often somebody came. */
  reached(): number;
};

type Member = { open: OpenChannel; meets(kind: Kind): Promise<Neighbour> };

/** Every channel passes the same suite; a new one is a row here. */
const members: Record<keyof typeof channels, Member> = {
  EMAIL: { open: channels.EMAIL, meets: mailServer },
  SMS: {
    open: channels.SMS,
    async meets(kind) {
      const gateway = await startSmsGateway();
      behave(gateway, kind, 'key-of-the-gateway');
      return {
        given: {
          target: '+4915112345678',
          credential: 'key-of-the-gateway',
          settings: gateway.settings,
        },
        allow: [gateway.hostPort],
        mail: null,
        secret: 'key-of-the-gateway',
        reached: () => gateway.received.length,
      };
    },
  },
  WEBHOOK: {
    open: channels.WEBHOOK,
    async meets(kind) {
      const receiver = await startWebhookReceiver();
      behave(receiver, kind, webhookSecret);
      return {
        given: { target: receiver.url, credential: webhookSecret, settings: {} },
        allow: [receiver.hostPort],
        mail: null,
        secret: webhookSecret.slice('whsec_'.length),
        reached: () => receiver.received.length,
      };
    },
  },
};

function behave(receiver: WebhookReceiver, kind: Kind, secret: string): void {
  onTestFinished(() => receiver.stop());
  receiver.answer(
    {
      takes: status(200, 'thank you'),
      refuses: status(410, 'gone'),
      fails: status(500, 'sorry'),
      'asks to wait': status(503, '', { 'retry-after': '7' }),
      hangs: hang,
      drops: close,
      floods: huge(50_000_000),
      drips: drip(),
      'tells secrets': status(400, `you sent ${secret}, that is ${secret}`),
    }[kind],
  );
}

async function mailServer(kind: Kind): Promise<Neighbour> {
  const password = 'password-of-the-operator';
  const from = 'platform@example.com';
  const neighbour = {
    given: { target: 'anna@example.com', credential: '', settings: {} },
    allow: [],
  };
  if (kind === 'floods' || kind === 'drips') {
    let reached = 0;
    const raw = await startRawServer((socket) => {
      reached += 1;
      if (kind === 'floods') flooding(socket, '220-more to come\r\n');
      else dripping(socket, '220-more to come\r\n', 1_000);
    });
    onTestFinished(() => raw.stop());
    const mail = { url: `smtp://127.0.0.1:${raw.port}`, from };
    return { ...neighbour, mail, secret: password, reached: () => reached };
  }
  const login = kind === 'tells secrets' ? { user: 'operator', password } : undefined;
  const server = await startMailServer(login ? { login } : {});
  onTestFinished(() => server.stop());
  let reached = 0;
  const encoded = Buffer.from(password).toString('base64');
  server.answer({
    receiver: () => {
      reached += 1;
      if (kind === 'refuses') return { code: 550, text: 'no such user here' };
      if (kind === 'tells secrets') return { code: 554, text: `${password} ${encoded}` };
      return kind === 'asks to wait' ? { code: 450, text: 'greylisted' } : null;
    },
    data: () =>
      kind === 'fails'
        ? { code: 451, text: 'sorry' }
        : kind === 'drops'
          ? 'drop'
          : kind === 'hangs'
            ? 'hang'
            : null,
  });
  return {
    ...neighbour,
    mail: { url: server.url, from },
    secret: password,
    reached: () => reached,
  };
}

/** A delivery to a neighbour of this kind, under way; time stands still until a test moves it. */
async function meet(member: Member, kind: Kind, signal = new AbortController().signal) {
  const { given, allow, mail, secret, reached } = await member.meets(kind);
  const egress = channelEgress(allow);
  const clock = new TestClock();
  const channel = member.open({ egress, mail, clock });
  expect(channel.wrong(given)).toBe(null);
  let ended = false;
  const outcome = channel.deliver(delivery(given), signal).finally(() => {
    ended = true;
  });
  return { outcome, secret, clock, reached, hasEnded: () => ended };
}

const until = async (isTrue: () => boolean): Promise<void> => {
  for (let round = 0; round < 1_000 && !isTrue(); round++) await sleep(10);
};

describe.each(Object.entries(members))('channel %s', (_name, member) => {
  it.each<[Kind, Partial<Outcome>]>([
    ['takes', { status: 'delivered' }],
    ['refuses', { status: 'refused' }],
    ['fails', { status: 'unreachable' }],
    ['asks to wait', { status: 'unreachable' }],
    ['drops', { status: 'unreachable' }],
    ['tells secrets', { status: 'refused' }],
  ])(
    'to a receiver that %s ends so, without a timer left and without a secret',
    async (kind, expected) => {
      const { outcome, secret, clock, reached } = await meet(member, kind);
      expect(await outcome).toMatchObject(expected);
      expect(JSON.stringify(await outcome)).not.toContain(secret);
      expect(reached()).toBe(1);
      expect(clock.pending).toBe(0);
    },
  );

  it('gives up on a receiver that hangs, within 15 seconds', async () => {
    const { outcome, clock, reached } = await meet(member, 'hangs');
    await until(() => reached() === 1);
    await clock.advance(15_000);
    expect(await outcome).toEqual({
      status: 'unreachable',
      reason: 'No answer in time',
      unanswered: true,
    });
    expect(clock.pending).toBe(0);
  });

  it('does not wait for what a receiver says byte by byte', async () => {
    const { outcome, clock, reached, hasEnded } = await meet(member, 'drips');
    await until(() => reached() === 1);
    for (let second = 0; second < 15 && !hasEnded(); second++) {
      await sleep(50);
      await clock.advance(1_000);
    }
    expect((await outcome).status).not.toBe('refused');
    expect(clock.pending).toBe(0);
  });

  it('reads little of what a receiver says without end', async () => {
    const { outcome, clock } = await meet(member, 'floods');
    expect(JSON.stringify(await outcome).length).toBeLessThan(512);
    expect(clock.pending).toBe(0);
  });

  it('ends when it is told to, before or while it delivers', async () => {
    const before = await meet(member, 'takes', AbortSignal.abort());
    expect(await before.outcome).toMatchObject({ status: 'unreachable' });
    const stop = new AbortController();
    const during = await meet(member, 'hangs', stop.signal);
    await until(() => during.reached() === 1);
    stop.abort();
    expect(await during.outcome).toMatchObject({ status: 'unreachable' });
    expect([before.reached(), before.clock.pending, during.clock.pending]).toEqual([0, 0, 0]);
  });

  it('refuses what is no receiver, before it sends anything', async () => {
    const egress = channelEgress([]);
    const mail = { url: 'smtp://127.0.0.1:1', from: 'platform@example.com' };
    const channel = member.open({
      egress,
      mail,
      clock: new TestClock(),
    });
    const { given } = await member.meets('takes');
    for (const target of [
      '',
      '\0',
      'x'.repeat(5_000),
      'a\r\nb',
      'http://127.0.0.1:1/\r\n',
      '{{to}}',
    ]) {
      expect(channel.wrong({ ...given, target })).toBeTypeOf('string');
      const outcome = channel.deliver(delivery({ ...given, target }), AbortSignal.timeout(5_000));
      expect((await outcome).status).toBe('refused');
    }
  });

  it.each([null, 7, 'text', [], { url: 7 }, { headers: [] }, { headers: { 'a b': 'c' } }])(
    'answers settings %j without a crash',
    async (settings) => {
      const egress = channelEgress([]);
      const channel = member.open({
        egress,
        mail: null,
        clock: new TestClock(),
      });
      const { given } = await member.meets('takes');
      const outcome = await channel.deliver(
        delivery({ ...given, settings }),
        AbortSignal.timeout(5_000),
      );
      expect(outcome.status).toBe('refused');
    },
  );
});

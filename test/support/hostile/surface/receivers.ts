import type { Socket } from 'node:net';

import { z } from 'zod';

import type { MailServer } from '../../../../src/alarm/channel/delivery/channel.ts';
import { channels } from '../../../../src/alarm/channel/index.ts';
import { type Clock, systemClock } from '../../../../src/kernel/clock.ts';
import { delivery, webhookSecret } from '../../neighbours/delivery.ts';
import { type RawServer, startRawServer } from '../../neighbours/raw-server.ts';
import { inParallel } from '../pool.ts';
import { createRandom, type Random, seedFor } from '../random.ts';
import { httpAnswer, smtpReply } from '../receiver-answers.ts';
import type { Site, Surface } from '../surface.ts';
import { mutatedText } from '../values.ts';

const WIDTH = 4;
const KEY = 'key-of-the-gateway';
const PASSWORD = 'password-of-the-operator';
const SECRETS = [webhookSecret.slice('whsec_'.length), KEY, PASSWORD];

/** A delivery's 14 s are a third of one, and the second for a body is 20 ms. */
const impatient: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms / 50, run) };

const Outcome = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('delivered'), answer: z.string().max(512) }),
  z.strictObject({ status: z.literal('refused'), reason: z.string().min(1).max(512) }),
  z.strictObject({
    status: z.literal('unreachable'),
    reason: z.string().min(1).max(512),
    retryAfterMs: z.number().min(0).max(3_600_000).optional(),
    unanswered: z.literal(true).optional(),
  }),
]);

/** What the receivers of notifications answer: web servers, SMS gateways and the mail server. */
export const receivers: Surface = {
  name: 'receivers',
  async beside() {
    const random = createRandom(seedFor('receivers'));
    const web = await startRawServer((socket) => answerHttp(socket, random));
    const mail = await startRawServer((socket) => answerSmtp(socket, random));
    return {
      environment: { SVC_EGRESS_ALLOW: `webhook:127.0.0.1:${web.port},sms:127.0.0.1:${web.port}` },
      attack: (site) => attack(site, web, mail),
      async stop() {
        await Promise.all([web.stop(), mail.stop()]);
      },
    };
  },
};

async function attack(
  { world, random, tally, inputs, until }: Site,
  web: RawServer,
  mailServer: RawServer,
): Promise<void> {
  const url = `http://127.0.0.1:${web.port}/`;
  const mail: MailServer = {
    url: `smtp://operator:${PASSWORD}@127.0.0.1:${mailServer.port}`,
    from: 'platform@example.com',
  };
  const options = { egress: world.app.egress, mail, clock: impatient };
  const body = '{"to":"{{to}}","text":"{{text}}"}';
  const members = [
    { name: 'mail', type: 'EMAIL', target: 'anna@example.com', credential: '', settings: {} },
    {
      name: 'SMS',
      type: 'SMS',
      target: '+4915112345678',
      credential: KEY,
      settings: { url: `${url}sms`, body },
    },
    { name: 'webhook', type: 'WEBHOOK', target: url, credential: webhookSecret, settings: {} },
  ] as const;
  await inParallel(
    inputs,
    WIDTH,
    async (index) => {
      const { name, type, ...given } = random.pick(members);
      const text = mutatedText(random, 'Boiler: temperature is 91 °C');
      const one = delivery({ ...given, id: String(index), subject: text, text });
      const startedAt = performance.now();
      const outcome = await channels[type](options)
        .deliver(one, new AbortController().signal)
        .catch((error: unknown) => ({ status: 'thrown', error: String(error) }));
      const ms = performance.now() - startedAt;
      tally.count(`${name} ${outcome.status}`, ms, wrong(outcome), JSON.stringify(outcome));
    },
    until,
  );
}

function wrong(outcome: object): string | null {
  const told = JSON.stringify(outcome);
  if (!Outcome.safeParse(outcome).success) return 'no outcome';
  return SECRETS.some((secret) => told.includes(secret)) ? 'tells a secret' : null;
}

function answerHttp(socket: Socket, random: Random): void {
  socket.on('data', (bytes) => {
    const [, path] = /^POST (\S+)/.exec(bytes.toString('latin1')) ?? [];
    if (path === undefined) return;
    const { bytes: answer, isLast } = httpAnswer(random, path === '/sms' ? KEY : webhookSecret);
    if (isLast) socket.end(answer);
    else socket.write(answer);
  });
}

function answerSmtp(socket: Socket, random: Random): void {
  const say = (command: string): void => {
    const reply = smtpReply(random, command, PASSWORD);
    if (reply) socket.write(reply);
    else socket.destroy();
  };
  say('');
  socket.on('data', (bytes) => say(bytes.toString('latin1')));
}

import { beforeEach, describe, expect, it } from 'vitest';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { DATA, FAILED, RETRY, SUCCESS, watch } from '../support/devices/notify.ts';
import { startMailServer } from '../support/neighbours/mail-server.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const server = started(startMailServer);
const world = started(() =>
  startWorld({ environment: { SVC_SMTP_URL: server.url, SVC_MAIL_FROM: 'svc@plant.test' } }),
);
beforeEach(() => {
  server.mails.length = 0;
  server.answer({});
});

const receivers = (): string[][] => server.mails.map(({ to }) => to);
const gets = (...wanted: string[][]): Promise<unknown> =>
  eventually(
    async () => receivers(),
    (all) => JSON.stringify(all) === JSON.stringify(wanted),
  );
const says = (words: string): Promise<unknown> =>
  eventually(
    async () => server.mails.map(({ text }) => text),
    (all) => all.some((text) => text.includes(words)),
  );
const notFor = (receiver: string, code: number): void =>
  server.answer({
    receiver: (address) => (address === receiver ? { code, text: 'not now' } : null),
  });
const mailing = (content: object = {}, target = 'a@b.test, Lead <lead@b.test>') =>
  watch(world, {
    channels: [{ channelTypeFlag: 'EMAIL', target }],
    notify: { notifyExt: { content } },
  });

/** Five tries to send the first mail fail. */
async function allTries({ history, until }: Awaited<ReturnType<typeof mailing>>): Promise<void> {
  for (const wait of [5, 10, 20, 40]) {
    const [before] = await history();
    world.clock.shift(wait * SECOND);
    await eventually(
      history,
      ([now]) => now?.statusFlag === FAILED || now?.retryCount !== before?.retryCount,
    );
  }
  await until(FAILED);
}

it('a mailbox whose server is down for longer than five tries gets the alarm that goes on, and its end', async () => {
  const watched = await mailing({}, 'down@b.test');
  server.answer({ connect: () => ({ code: 421, text: 'down for repairs' }) });
  await watched.measure(95);
  await watched.until(RETRY);
  await allTries(watched);
  expect(server.mails).toEqual([]);
  server.answer({});
  world.clock.shift(MINUTE);
  await sweepLedger(world.app);
  await gets(['down@b.test']);
  await watched.until(SUCCESS);
  await watched.measure(20);
  await gets(['down@b.test'], ['down@b.test']);
  const [, ended] = server.mails;
  expect(ended?.text).toContain('Over after');
});

describe('a mail that some of its receivers took', () => {
  it('is sent to the others alone, until they take it', async () => {
    const watched = await mailing();
    notFor('lead@b.test', 451);
    await watched.measure(95);
    await gets(['a@b.test']);
    const [row] = await watched.until(RETRY);
    expect(row).toMatchObject({
      errorMessage: 'Not taken for lead@b.test: 451 not now',
      responseExt: { left: ['lead@b.test'] },
    });
    await allTries(watched);
    server.answer({});
    world.clock.shift(MINUTE);
    await sweepLedger(world.app);
    await gets(['a@b.test'], ['lead@b.test']);
    await watched.until(SUCCESS);
    expect(new Set(server.mails.map(({ headers }) => headers['message-id'])).size).toBe(1);
    await watched.measure(20);
    await gets(['a@b.test'], ['lead@b.test'], ['a@b.test', 'lead@b.test']);
  });

  it('is known to its channel, which gets the end, and does not delay a reminder', async () => {
    const repeat = { enabled: true, intervalMs: 2 * MINUTE };
    const watched = await mailing({ repeat });
    notFor('lead@b.test', 452);
    await watched.measure(95);
    await gets(['a@b.test']);
    await watched.until(RETRY);
    world.clock.shift(2 * MINUTE);
    await world.admin.data(`${DATA}/notify/update`, {
      id: watched.notifyId,
      notifyExt: { content: { repeat } },
    });
    await sweepLedger(world.app);
    await says('(reminder 1)');
    await watched.measure(20);
    await says('Over after');
    for (const to of receivers()) expect(to).toEqual(['a@b.test']);
  });

  it('about several alarms does not hold back the end of one, and is sent to the others still', async () => {
    const grouping = { by: [], waitMs: 10 * SECOND };
    const first = await mailing({ grouping });
    const second = await watch(world, { rule: { notifyId: first.notifyId } });
    notFor('lead@b.test', 452);
    await first.measure(95);
    await second.measure(95);
    world.clock.shift(11 * SECOND);
    await sweepLedger(world.app);
    await gets(['a@b.test']);
    await first.until(RETRY);
    await first.measure(20);
    world.clock.shift(11 * SECOND);
    await sweepLedger(world.app);
    await says('Over after');
    server.answer({});
    world.clock.shift(MINUTE);
    const lead = ({ to, text }: { to: string[]; text: string }) =>
      to.join() === 'lead@b.test' && text.includes('(since');
    await eventually(
      async () => server.mails,
      (all) => all.some(lead),
    );
  });

  it('is not sent again where a receiver is refused for good', async () => {
    const watched = await mailing({}, 'c@b.test, Boss <boss@b.test>');
    notFor('boss@b.test', 550);
    await watched.measure(95);
    const [row] = await watched.until(SUCCESS);
    expect(row?.responseExt).toMatchObject({ answer: 'Not taken for boss@b.test: 550 not now' });
    // Mails of the test before may still come.
    expect(receivers().filter((to) => !to.includes('lead@b.test'))).toEqual([['c@b.test']]);
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { addTo, DATA } from '../support/devices/notify.ts';
import { watched } from '../support/devices/watched.ts';
import { startPushService } from '../support/neighbours/push-service.ts';
import { login } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { started } from '../support/world/prepared.ts';

const SOON = { timeout: 30_000 };
const PHONE = { width: 390, height: 844, look: 'dark' } as const;
const State = z.object({
  publicKey: z.string(),
  channelId: z.string().nullable(),
  browsers: z.array(z.unknown()),
});
const Message = z.object({
  title: z.string(),
  text: z.string(),
  page: z.string().regex(/^\/alarms\/\d+$/),
  tag: z.string(),
  time: z.string(),
});
const Registration = z.object({ registrations: z.array(z.object({ registrationId: z.string() })) });

const service = started(startPushService);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${service.hostPort}` } }),
);
const { at } = consoles(world);

/** In the page: a push service of the test in place of the vendor's, which a browser without a screen does not reach. */
const subscribing = (browser: object): string => `
  const { endpoint, ...keys } = ${JSON.stringify(browser)};
  let held = null;
  const unsubscribe = async () => { held = null; return true; };
  const made = { endpoint, unsubscribe, toJSON: () => ({ endpoint, keys }) };
  PushManager.prototype.getSubscription = async () => held;
  PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
    globalThis.subscribed = [applicationServerKey, userVisibleOnly];
    return (held = made);
  };`;

/** In the worker: remembers what it displays, and the page that a press opens; neither is there without a screen. */
const WITHOUT_A_SCREEN = `
  globalThis.displayed = [];
  registration.showNotification = async (title, { body, data, tag }) => {
    globalThis.displayed.push({ title, body, data, isOne: tag !== '' });
  };
  clients.openWindow = async (url) => {
    globalThis.opened = url;
  };`;
const PRESSED = `(async () => {
  let work;
  const notification = { close() {}, data: globalThis.displayed[0].data };
  const waitUntil = (promise) => { work = promise; };
  dispatchEvent(Object.assign(new Event('notificationclick'), { notification, waitUntil }));
  await work;
  return globalThis.opened;
})()`;

describe('an alarm', () => {
  it('is pushed to a browser that a person turned on, and leads to the alarm', async () => {
    const mine = await world.tenant('push');
    const state = async () => State.parse(await mine.data(`${DATA}/notify/push/get`));
    const { publicKey } = await state();
    const console = await at('/', 'push', PHONE);
    const { page, context } = console;
    await context.grantPermissions(['notifications'], { origin: world.base });
    await context.addInitScript({ content: subscribing(service.browser(publicKey)) });
    await page.reload();
    await page.getByRole('button', { name: 'push-admin' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Push alarms to this browser').check();
    await dialog.getByText('No policy sends to you yet.').waitFor(SOON);
    expect(await page.evaluate('globalThis.subscribed')).toEqual([publicKey, true]);
    expect([await overflow(page), await barriers(console)]).toEqual([0, []]);
    const { channelId } = await state();
    const notifyId = await addTo(mine, 'notify', { notifyName: 'to me' });
    await addTo(mine, 'notify/channel/bind', { notifyId, channelId });
    const boiler = await watched(world, mine, 'boiler', { severity: 'P0', notifyId });
    await boiler.measure(60, 91);
    await expect.poll(() => service.pushed.length, SOON).toBe(1);
    const message = Message.parse(service.pushed[0]?.message);
    const [worker] = context.serviceWorkers();
    await worker?.evaluate(WITHOUT_A_SCREEN);
    // What the vendor's push service does with it.
    const devtools = await context.newCDPSession(page);
    const registered = Promise.withResolvers<string>();
    devtools.on('ServiceWorker.workerRegistrationUpdated', (event) => {
      const [first] = Registration.parse(event).registrations;
      if (first) registered.resolve(first.registrationId);
    });
    await devtools.send('ServiceWorker.enable');
    await devtools.send('ServiceWorker.deliverPushMessage', {
      origin: world.base,
      registrationId: await registered.promise,
      data: JSON.stringify(message),
    });
    const { title, text, page: leadsTo } = message;
    await expect
      .poll(() => worker?.evaluate('globalThis.displayed'), SOON)
      .toEqual([{ title, body: text, data: { page: leadsTo }, isOne: true }]);
    expect(await worker?.evaluate(PRESSED)).toBe(`/console${leadsTo}`);
    await dialog.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Password').waitFor(SOON);
    const { SVC_ADMIN_PASSWORD } = testEnvironment;
    const again = await login(world.base, 'push', 'push-admin', SVC_ADMIN_PASSWORD);
    expect(await again.data(`${DATA}/notify/push/get`)).toMatchObject({
      policies: 1,
      browsers: [],
    });
    expectQuiet(console);
  });
});

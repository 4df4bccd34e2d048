import { createServer, type Server } from 'node:http';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers, logIn } from '../support/console/open-console.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import { actionsIn } from '../support/people/actions.ts';
import { login, type Session } from '../support/people/session.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { until } from '../support/world/until.ts';
import type { Site } from '../tools/agent.ts';

const Labels = z.object({ total: z.number() });
const ADD = '/api/v3/manager/label/add';
const CONFIRM = '/api/v3/agentic/action/confirm';
const LABEL = { labelName: 'forged', entityTypeFlag: 'DEVICE' };

let mine: Session;
let plant: Site;
let site: Server;
/** Of another site: a host name is not its address. */
let foreign: string;
const world = startedWorld();
const { open, at } = consoles(world);
beforeAll(async () => {
  mine = await world.tenant('forged');
  plant = await actionsIn(world, mine).site();
  site = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Other</title>'),
  );
  await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening));
  const address = site.address();
  if (address === null || typeof address === 'string')
    throw new Error('the other site has no port');
  foreign = `http://localhost:${address.port}/`;
});
afterAll(async () => {
  site?.close();
});

const labels = async (): Promise<number> =>
  Labels.parse(await mine.data('/api/v3/manager/label/list', {})).total;

/** In a page: sends a form as a link or a button of the page would, into a frame of it. */
const formTo = (url: string, type: string, fields: object): string => `new Promise((done) => {
  const frame = document.createElement('iframe');
  frame.name = 'into';
  frame.onload = done;
  document.body.append(frame);
  const form = document.createElement('form');
  Object.assign(form, { action: ${JSON.stringify(url)}, method: 'POST', enctype: '${type}', target: 'into' });
  for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
    const input = document.createElement('input');
    Object.assign(input, { name, value });
    form.append(input);
  }
  document.body.append(form);
  form.submit();
})`;

/** In a page: everything that may be fetched without asking first, with cookies; ends when all did. */
const fetchesOf = (url: string, body: object): string => `Promise.allSettled([
  ...['text/plain', 'application/x-www-form-urlencoded'].flatMap((type) =>
    ['no-cors', 'cors'].map((mode) => fetch(${JSON.stringify(url)}, {
      method: 'POST', mode, credentials: 'include', headers: { 'content-type': type }, body: ${JSON.stringify(JSON.stringify(body))},
    }))),
  fetch(${JSON.stringify(url)}, {
    method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json', 'x-svc-proof': 'guessed' },
    body: ${JSON.stringify(JSON.stringify(body))},
  }),
  new Promise((done) => {
    const image = new Image();
    image.onload = image.onerror = done;
    image.src = ${JSON.stringify(`${url}?`)} + new URLSearchParams(${JSON.stringify(body)});
  }),
  navigator.sendBeacon(${JSON.stringify(url)}, ${JSON.stringify(JSON.stringify(body))}),
]).then((all) => all.length)`;

async function attack(page: Page, path: string, body: object): Promise<void> {
  await page.goto(foreign);
  expect(await page.evaluate(fetchesOf(world.base + path, body))).toBe(7);
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data'])
    await page.evaluate(formTo(world.base + path, type, body));
}

describe('another site in the browser of a person that is logged in', () => {
  it('changes nothing and decides nothing, even with the digest of the card', async () => {
    const { proposeIn, actionOf } = actionsIn(world, mine);
    const { actionId, digest } = await proposeIn(plant);
    const before = await labels();
    const console = await at('/', 'forged');
    const page = await console.context.newPage();
    await attack(page, ADD, LABEL);
    await attack(page, CONFIRM, { action_id: actionId, digest });
    await attack(page, '/api/v3/auth/session/end', {});
    expect(await labels()).toBe(before);
    expect((await actionOf(actionId)).status).toBe('PENDING');
    await console.page.reload();
    await console.page.getByRole('navigation').waitFor();
    // The very call is right where the page of the console makes it.
    await console.page.getByText('live', { exact: true }).waitFor();
    expect(await labels()).toBe(before);
    await mine.data(ADD, LABEL);
    expect(await labels()).toBe(before + 1);
  });

  it('logs no one in as another person', async () => {
    const console = await open();
    const { page } = console;
    const person = {
      tenant: 'forged',
      name: 'forged-admin',
      password: testEnvironment.SVC_ADMIN_PASSWORD,
    };
    await attack(page, '/api/v3/auth/session/begin', person);
    expect(await console.context.cookies(world.base)).toEqual([]);
  });

  it('shows no page of the console in a frame', async () => {
    const console = await at('/', 'forged');
    const page = await console.context.newPage();
    await page.goto(foreign);
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '${world.base}/console' }))`,
    );
    const framed = await until(() => {
      const frame = page.frames()[1];
      expect(frame?.url()).toMatch(/^chrome-error:/);
      return frame;
    });
    expect(await framed?.locator('form, nav').count()).toBe(0);
  });
});

describe('a session that ends while a proposal is open', () => {
  it('says so, shows nothing more, and keeps what was entered for a new login of its person', async () => {
    const { proposeIn } = actionsIn(world, mine);
    const { actionId } = await proposeIn(plant, '22');
    const console = await at(`/review/${actionId}`, 'forged');
    const { page } = console;
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Reject' }).click();
    const reason = page.getByLabel('Reason');
    await reason.fill('Too warm for the night');
    await mine.data('/api/v3/auth/token/cancel', {});
    await page.getByText('The session has ended').waitFor();
    // Neither seen nor reached below the login, whatever is pressed.
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Escape');
    await page.getByText('The session has ended').waitFor();
    for (let presses = 0; presses < 12; presses += 1) {
      await page.keyboard.press('Tab');
      expect(await reason.evaluate((element) => element.matches(':focus'))).toBe(false);
    }
    expect(await barriers(console)).toEqual([]);
    await logIn(console, 'forged');
    await page.getByText('The session has ended').waitFor({ state: 'detached' });
    expect(await reason.inputValue()).toBe('Too warm for the night');
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    await page.locator('.chip', { hasText: 'rejected' }).waitFor();
    mine = await login(world.base, 'forged', 'forged-admin', testEnvironment.SVC_ADMIN_PASSWORD);
    expect((await actionsIn(world, mine).actionOf(actionId)).status).toBe('REJECTED');
    await page.getByText('live', { exact: true }).waitFor();
    expect(console.wrong.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('shows another person nothing of it', async () => {
    const { proposeIn } = actionsIn(world, mine);
    const { actionId } = await proposeIn(plant, '23');
    const { name } = await worker(mine, ['svc-center-agentic:action:get']);
    const console = await at(`/review/${actionId}`, 'forged');
    const { page } = console;
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByLabel('Reason').fill('Too warm for the night');
    await mine.data('/api/v3/auth/token/cancel', {});
    await page.getByText('The session has ended').waitFor();
    await logIn(console, { tenant: 'forged', name, password: PASSWORD });
    await page.getByText('You may look, not decide.').waitFor();
    expect(await page.getByLabel('Reason').count()).toBe(0);
  });
});

import { expect, it } from 'vitest';
import { z } from 'zod';

import { openApi } from '../../src/gateway/openapi/document.ts';
import { startBrowser } from '../support/console/chromium.ts';
import { started, startedWorld } from '../support/world/prepared.ts';

const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ tags: z.array(z.string()) }))),
});

const SOON = { timeout: 60_000 };

const world = startedWorld();
const browser = started(startBrowser);

it('Swagger UI lists the operations by noun, asks nobody else and logs nothing wrong', async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const wrong: string[] = [];
  const asked: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`${world.base}/swagger-ui.html`);
  await page.locator('.opblock-tag').first().waitFor(SOON);
  // Tags are closed at first; what is open is drawn only where one looks.
  const { paths } = Document.parse(openApi({ baseUrl: world.base }));
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const tags = new Set(operations.flatMap((operation) => operation.tags));
  await expect.poll(() => page.locator('.opblock-tag').count(), SOON).toBe(tags.size);
  const noun = page.locator('.opblock-tag-section', { hasText: 'manager: device' }).first();
  await noun.locator('.opblock-tag').click();
  const ofNoun = operations.filter((operation) => operation.tags.includes('manager: device'));
  await expect.poll(() => noun.locator('.opblock').count(), SOON).toBe(ofNoun.length);

  await page.locator('.opblock', { hasText: '/api/v3/manager/device/add' }).first().click();
  await page.getByText('deviceName').first().waitFor();
  const shot = process.env['SVC_SCREENSHOT'];
  if (shot) await page.screenshot({ path: shot });

  expect(wrong).toEqual([]);
  expect(asked.filter((url) => !url.startsWith(world.base) && !url.startsWith('data:'))).toEqual(
    [],
  );
  await page.close();
});

it('Swagger UI calls an operation with the login that was entered', async () => {
  const page = await browser.newPage();
  await page.goto(`${world.base}/swagger-ui.html`);
  await page.locator('button.authorize').first().click();
  for (const [name, value] of Object.entries(world.admin.headers)) {
    const scheme = page.locator('.auth-container', { hasText: new RegExp(`Name: ${name}`, 'i') });
    await scheme.locator('input').first().fill(value);
    await scheme.locator('button[type=submit]').click();
  }
  await page.locator('button.btn-done').first().click();
  await page.locator('.opblock-tag', { hasText: 'data: dashboard' }).click();
  const operation = page
    .locator('.opblock', { hasText: '/api/v3/data/dashboard/system/health' })
    .first();
  await operation.click();
  await operation.locator('button.try-out__btn').click();
  const answered = page.waitForResponse((response) => response.url().endsWith('/system/health'));
  await operation.locator('button.execute').click();
  expect((await answered).status()).toBe(200);
  await page.close();
});

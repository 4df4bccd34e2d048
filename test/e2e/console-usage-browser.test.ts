import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { overflow } from '../support/console/page-state.ts';
import { addProvider, startProviderWorld } from '../support/neighbours/providers.ts';
import { chat, chatAnswer, question } from '../support/people/chat.ts';
import { started } from '../support/world/prepared.ts';

const AGENTIC = '/api/v3/agentic';

const vendors = started(startProviderWorld);
const { at } = consoles(vendors);

const opened = (tenant: string, path: string, shown = {}) => at(path, tenant, shown);

const Configs = z.array(z.looseObject({ model: z.string() }));

describe('the usage of the settings', () => {
  it('shows what was used by its price, and a budget that is set and used up', async () => {
    const { world, openai } = vendors;
    const mine = await world.tenant('usage-life');
    const providerId = await addProvider(mine, { name: 'ours', baseUrl: openai.baseUrl });
    await mine.data(`${AGENTIC}/model/config/add`, { model: 'gpt-a', providerId });
    const console = await opened('usage-life', '/settings/models');
    const { page } = console;
    await page.getByRole('button', { name: 'Edit gpt-a' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Price of a million tokens in').fill('100');
    await dialog.getByLabel('of a million tokens out').fill('200');
    await dialog.getByLabel('Currency').fill('EUR');
    await dialog.getByLabel('Asked in place of another').fill('2');
    await dialog.getByLabel('Changes of the request').fill('{"drop": ["temperature"');
    await dialog.getByText('This is not JSON.').waitFor();
    await dialog.getByLabel('Changes of the request').fill('{"drop": ["temperature"]}');
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('gpt-a is saved.').waitFor();
    expect(Configs.parse(await mine.data(`${AGENTIC}/model/config/list`))).toMatchObject([
      {
        price: { prompt: '100', completion: '200', currency: 'EUR' },
        parameters: { drop: ['temperature'] },
        fallbackOrder: 2,
      },
    ]);
    await chat(mine, 'hello');
    await page.getByRole('link', { name: 'Usage' }).click();
    const row = page.getByRole('row', { name: /ours\/gpt-a/ });
    // 10 × 100 + 5 × 200, for a million.
    await row.getByText('0.002').waitFor();
    await row.getByText('EUR').waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.getByLabel('By', { exact: true }).selectOption('person');
    await page.getByRole('row', { name: /usage-life-admin/ }).waitFor();
    await page.getByText('No budget is set').waitFor();
    await page.getByRole('button', { name: 'Set a budget' }).click();
    await dialog.getByLabel('For', { exact: true }).selectOption('person');
    await dialog.getByLabel('At most').fill('many');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('At most').fill('10');
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    const budgets = page.getByRole('list', { name: 'Budgets' });
    await budgets.getByText('each person: 10 tokens / day').waitFor();
    expect((await chatAnswer(mine, question('again'))).status).toBe(429);
    await page.getByRole('button', { name: /^Delete each person/ }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No budget is set').waitFor();
    expect((await chatAnswer(mine, question('again'))).status).toBe(200);
    expect(console.wrong.filter((text) => !text.includes('status of 4'))).toEqual([]);
    expect(console.outside).toEqual([]);
  });

  it('fits a narrow screen in Chinese', async () => {
    const { world, openai } = vendors;
    const mine = await world.tenant('usage-narrow');
    await addProvider(mine, { name: 'ours', baseUrl: openai.baseUrl, model: 'gpt-a' });
    await chat(mine, 'hello');
    const console = await opened('usage-narrow', '/settings/usage', { width: 360, language: 'zh' });
    const { page } = console;
    await page.getByRole('heading', { name: '对话用量' }).waitFor();
    await page.getByRole('row', { name: /ours\/gpt-a/ }).waitFor();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await barriers(console)).toEqual([]);
    expect(console.wrong).toEqual([]);
  });
});

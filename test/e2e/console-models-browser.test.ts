import { describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import {
  addProvider,
  breakKey,
  keptKey,
  listed,
  startProviderWorld,
} from '../support/neighbours/providers.ts';
import { started } from '../support/world/prepared.ts';

const SECRET = 'sk-steam-kettle-41';

const vendors = started(startProviderWorld);
const { at } = consoles(vendors);

const opened = (tenant: string, shown = {}) => at('/settings/models', tenant, shown);

describe('the models of the settings', () => {
  it('are added from what a new provider answers, changed and deleted', async () => {
    const { world, openai } = vendors;
    const mine = await world.tenant('models-life');
    const console = await opened('models-life');
    const { page } = console;
    await page.getByText('No model provider is set.').waitFor();
    await page.getByRole('button', { name: 'Add a provider' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('ours');
    await dialog.getByLabel('Address').fill('http://10.0.0.1/v1');
    await dialog.getByLabel('API key').fill(SECRET);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Address').fill(openai.baseUrl);
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('ours is saved.').waitFor();
    await page.getByRole('button', { name: 'Check ours' }).click();
    await page.getByText('answers, 2 models').waitFor();
    expect(openai.keys.at(-1)).toBe(`Bearer ${SECRET}`);
    expect(await page.content()).not.toContain(SECRET);
    await page.getByRole('button', { name: 'Add a model: ours' }).click();
    await dialog.getByLabel('Name of the model').selectOption('gpt-b');
    await dialog.getByLabel('Shown as').fill('The large one');
    await dialog.getByLabel('Temperature').fill('7');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Temperature').fill('0.5');
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The large one').waitFor();
    expect(await mine.data('/api/v3/agentic/model/config/list')).toMatchObject([
      { model: 'gpt-b', label: 'The large one', temperature: 0.5, toolCall: true },
    ]);
    await page.getByRole('button', { name: 'Try gpt-b' }).click();
    const tries = page.getByRole('list', { name: 'What the model can' });
    await tries.getByText('it called no tool; it said: I am one.').first().waitFor();
    expect(await tries.getByRole('listitem').count()).toBe(9);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Delete ours' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('alert').getByText('gpt-b').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Edit gpt-b' }).click();
    await dialog.getByLabel('Enabled').uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('disabled').waitFor();
    await page.getByRole('button', { name: 'Delete gpt-b' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('offers nothing of this provider').waitFor();
    await page.getByRole('button', { name: 'Delete ours' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No model provider is set.').waitFor();
    expect(await listed(mine)).toEqual([]);
    expectQuiet(console, 'status of 4');
  });

  it('keep the key until it is forgotten, by keyboard alone', async () => {
    const { world, claude } = vendors;
    const mine = await world.tenant('models-key');
    const id = await addProvider(mine, {
      name: 'theirs',
      baseUrl: claude.baseUrl,
      providerType: 'ANTHROPIC',
      apiKey: SECRET,
    });
    const console = await opened('models-key');
    const { page } = console;
    const dialog = page.getByRole('dialog');
    const edit = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Edit theirs' }).focus();
      await page.keyboard.press('Enter');
      await dialog.waitFor();
    };
    const save = async (): Promise<void> => {
      await dialog.getByRole('button', { name: 'Save' }).focus();
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
    };
    const before = await keptKey(world, mine, id);
    await edit();
    expect(await dialog.getByLabel('API key').inputValue()).toBe('');
    await dialog.getByText('A key is stored').waitFor();
    await dialog.getByLabel('Address').focus();
    await page.keyboard.press('End');
    await page.keyboard.type('/x');
    await dialog.getByText('the stored key is forgotten').waitFor();
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await dialog.getByText('A key is stored').waitFor();
    await dialog.getByLabel('The default provider').focus();
    await page.keyboard.press('Space');
    await save();
    expect(await keptKey(world, mine, id)).toBe(before);
    await page.getByText('default', { exact: true }).waitFor();
    await edit();
    await dialog.getByLabel('Forget the stored key').focus();
    await page.keyboard.press('Space');
    await save();
    await page.getByText('without a key').waitFor();
    expect(await keptKey(world, mine, id)).toBe('');
    expectQuiet(console);
  });

  it('say why a provider does not answer, in Chinese and on a phone', async () => {
    const { world, openai } = vendors;
    const mine = await world.tenant('models-away');
    const id = await addProvider(mine, { name: 'away', baseUrl: openai.baseUrl, apiKey: SECRET });
    await addProvider(mine, { name: 'open', baseUrl: openai.baseUrl });
    await breakKey(world, mine, id);
    const console = await opened('models-away', { language: 'zh', width: 360 });
    const { page } = console;
    await page.getByText('没有密钥').waitFor();
    await page.getByRole('button', { name: '检查 away' }).click();
    await page.getByText('无应答').waitFor();
    await page.getByText('The stored key of the model provider cannot be opened').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: '编辑 away' }).click();
    await page.getByRole('dialog').getByLabel('API 密钥').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });
});

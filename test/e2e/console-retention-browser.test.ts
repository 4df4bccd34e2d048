import { expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet } from '../support/console/page-state.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const { at } = consoles(world);

it('a class that keeps values for ever says for how long notifications are kept', async () => {
  const mine = await world.tenant('kept-records');
  const console = await at('/retention', 'kept-records');
  const { page } = console;
  await page.getByRole('button', { name: 'Add a class' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Three months');
  await dialog.getByLabel('Notifications').fill('90');
  expect(await barriers(console)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Notifications: 90 days').waitFor();
  expect(await mine.data('/api/v3/data/retention_class/list', {})).toMatchObject({
    records: [{ valueDays: null, notificationDays: 90, alarmDays: null }],
  });
  expectQuiet(console);
});

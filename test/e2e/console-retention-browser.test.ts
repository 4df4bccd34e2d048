import { expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet } from '../support/console/page-state.ts';
import { onboard } from '../support/devices/plant.ts';
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

it('what an import stored is deleted as a whole, with a reason', async () => {
  const mine = await world.tenant('undone-import');
  const { deviceId, temperature: pointId } = await onboard(mine);
  const createTime = new Date(world.clock.now() - 3_600_000).toISOString();
  const values = [{ deviceId, pointId, value: '20', createTime }];
  await mine.data('/api/v3/data/point_value/import', { values });
  const console = await at('/retention', 'undone-import');
  const { page } = console;
  await page.getByText('1 new of 1 sent').waitFor();
  await page.getByRole('button', { name: 'Undo the import' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Why').fill('of another plant');
  expect(await barriers(console)).toEqual([]);
  await dialog.getByRole('button', { name: 'Undo the import' }).click();
  await page.getByText('undone: 1 value is deleted').first().waitFor();
  expect(await mine.data('/api/v3/data/point_value/import/list', {})).toMatchObject({
    records: [{ undoFlag: 'DONE', undoneCount: 1 }],
  });
  expectQuiet(console);
});

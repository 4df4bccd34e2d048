import { expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { add } from '../support/devices/plant.ts';
import { lwm2mDevice } from '../support/lwm2m/device.ts';
import { waitingEndpoint } from '../support/lwm2m/waiting.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from '../tools/agent.ts';

const WHOLE = { timeout: 180_000 };
const Proposed = z.looseObject({ actionId: z.string() });

const world = startedWorld();
const { at } = consoles(world);

it('shows what an onboarding makes, and the device that it became', WHOLE, async () => {
  const mine = await world.tenant('onboarding-card');
  await lwm2mDevice(mine, {});
  const id = await waitingEndpoint(world, world.admin);
  await world.admin.data('/api/v3/manager/device/waiting/assign', { id, tenantId: mine.tenantId });
  const groupId = await add(mine, 'group', { groupName: 'Hall 3', groupTypeFlag: 'DEVICE' });
  const reason = 'There is a new meter.';
  const asked = { waitingId: id, deviceName: 'meter 7', groupId, reason };
  const { actionId } = Proposed.parse(
    await toolNamed('proposeOnboarding').run(world.app, agentIn(mine), asked),
  );
  const chinese = await at(`/review/${actionId}`, 'onboarding-card', {
    width: 360,
    language: 'zh',
  });
  await chinese.page.getByRole('heading', { name: '设备接入' }).waitFor();
  await chinese.page.getByText('新建，无点位').waitFor();
  await chinese.page.getByText('分组', { exact: true }).waitFor();
  await chinese.page.getByText('无法撤销：只能由人员删除设备或设置其他端点。').waitFor();
  expect(await overflow(chinese.page)).toBe(0);
  expectQuiet(chinese);
  const console = await at('/proposals', 'onboarding-card');
  const { page } = console;
  await page.getByRole('link', { name: 'meter 7 · Onboarding' }).click();
  await page.getByRole('heading', { name: 'Onboarding', exact: true }).waitFor();
  await page.getByText('none: the platform gave it to this tenant').waitFor();
  await page
    .getByText('There is no undo: a person deletes the device, or sets another endpoint.')
    .waitFor();
  await page.getByText('Hall 3', { exact: true }).waitFor();
  await page.getByText(reason).waitFor();
  expect(await barriers(console)).toEqual([]);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('became the endpoint of the new device').waitFor();
  await page.getByRole('link', { name: 'Device', exact: true }).click();
  await page.getByRole('heading', { name: 'meter 7', level: 1 }).waitFor();
  expectQuiet(console);
});

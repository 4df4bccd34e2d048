import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { addRule, site, storedRules } from '../support/console/rule-site.ts';
import { add, onboard } from '../support/devices/plant.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import { startedWorld } from '../support/world/prepared.ts';

const MANAGER = '/api/v3/manager';
const world = startedWorld();
const { at } = consoles(world);

describe('the changes of a thing', () => {
  it('set a point back to before one of them, in its form, with all that was changed since', async () => {
    const mine = await world.tenant('back-point');
    const { target: id } = await onboard(mine);
    const update = (change: object) => mine.data(`${MANAGER}/point/update`, { id, ...change });
    await update({ maxValue: 29 });
    await update({ maxValue: 28, unit: 'K' });
    const console = await at(`/changes?entityType=point&entityId=${id}`, 'back-point');
    const { page } = console;
    const rows = page.getByRole('main').getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(3);
    await rows
      .nth(1)
      .getByRole('button', { name: 'Set back target to before this change' })
      .click();
    const dialog = page.getByRole('dialog');
    const note = dialog.getByRole('group', { name: 'Earlier version' });
    await note.getByText('highest value: 28 → 30').waitFor();
    await note.getByText('unit: K → °C').waitFor();
    expect(await dialog.getByLabel('Greatest value to write').inputValue()).toBe('30');
    expect(await dialog.getByLabel('Unit').inputValue()).toBe('°C');
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => rows.count()).toBe(4);
    const stored = await mine.data(`${MANAGER}/point/get_by_id`, undefined, { id });
    expect(stored).toMatchObject({ maxValue: 30, unit: '°C' });
    await rows.first().getByText('28').waitFor();
    // Set back to the one before the way back: by the keyboard alone.
    await rows.first().getByRole('button', { name: 'Set back target' }).focus();
    await page.keyboard.press('Enter');
    await note.getByText('highest value: 30 → 28').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'All changes' }).click();
    await rows.filter({ hasText: 'Added the device' }).waitFor();
    expectQuiet(console);
  });

  it('set a device back on its page, and say what its form does not have', async () => {
    const mine = await world.tenant('back-device');
    const { deviceId: id } = await onboard(mine);
    const update = (change: object) => mine.data(`${MANAGER}/device/update`, { id, ...change });
    await update({ deviceName: 'Boiler 1', remark: 'north' });
    await update({ deviceName: 'Boiler 2' });
    await update({ enableFlag: 'DISABLE', deviceName: 'Boiler 3' });
    const shown = { width: 390, look: 'dark' } as const;
    const console = await at(`/devices/${id}/edit`, 'back-device', shown);
    const { page } = console;
    await page.getByRole('link', { name: 'Changes' }).first().click();
    const rows = page.getByRole('main').getByRole('listitem');
    const renamed = rows.filter({ hasText: 'Boiler 1 → Boiler 2' });
    await renamed.getByRole('link', { name: 'Set back Boiler 2 to before this change' }).click();
    const note = page.getByRole('group', { name: 'Earlier version' });
    await note.getByText('name: Boiler 3 → Boiler 1').waitFor();
    await note.getByText('not in this form: state').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Boiler 1');
    expect(await page.getByLabel('Remark').inputValue()).toBe('north');
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await note.getByText('It is now as it was then.').waitFor();
    const stored = await mine.data(`${MANAGER}/device/get_by_id`, undefined, { id });
    expect(stored).toMatchObject({ deviceName: 'Boiler 1', enableFlag: 'DISABLE' });
    expectQuiet(console);
  });

  it('set a rule and a profile back', async () => {
    const mine = await site(world, 'back-rule');
    const { session, plant } = mine;
    const id = await addRule(mine, 'Too hot');
    const condition = { field: 'value', operator: '>', threshold: 95, unit: '°C' };
    const ruleExt = { content: { condition, severity: 'P2' } };
    await session.data('/api/v3/data/rule/update', { id, ruleName: 'Hot', ruleExt });
    const profile = { id: plant.profileId, profileName: 'Room (new)' };
    await session.data(`${MANAGER}/profile/update`, profile);
    const console = await at(`/rules/${id}`, 'back-rule');
    const { page } = console;
    await page.getByRole('link', { name: 'Changes' }).first().click();
    await page.getByRole('link', { name: 'Set back Hot to before this change' }).click();
    const note = page.getByRole('group', { name: 'Earlier version' });
    await note.getByText('condition.threshold: 95 → 90').waitFor();
    expect(await page.getByLabel('Limit (°C)').inputValue()).toBe('90');
    expect(await page.getByLabel('Level').inputValue()).toBe('P1');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await note.getByText('It is now as it was then.').waitFor();
    expect(await storedRules(mine)).toMatchObject([
      {
        ruleName: 'Too hot',
        ruleExt: { content: { condition: { threshold: 90 }, severity: 'P1' } },
      },
    ]);
    // Nothing entered is left, or was filled in: the page goes without a question.
    for (const back of [null, '2096-01-01T00:00:00.000Z']) {
      if (back !== null) {
        await console.go(`/rules/${id}?back=${back}`);
        await page.getByText('The change log has no such change').waitFor();
      }
      await page.getByRole('link', { name: 'All rules' }).click();
      await page.getByRole('heading', { name: 'Alarm rules' }).waitFor();
    }
    await console.go(`/profiles/${plant.profileId}`);
    await page.getByRole('heading', { name: 'Room (new)' }).waitFor();
    await page.getByRole('link', { name: 'Changes' }).first().click();
    await page.getByRole('button', { name: 'Set back Room (new)' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Room (new) → room').waitFor();
    expectQuiet(console);
  });

  it('set a setting of a point back on the page of its device', async () => {
    const mine = await world.tenant('back-setting');
    const { deviceId, target } = await onboard(mine);
    const path = `${MANAGER}/point_attribute_config`;
    const [config] = z
      .array(z.looseObject({ id: z.string(), attributeId: z.string() }))
      .parse(await mine.data(`${path}/list_by_device_id`, undefined, { device_id: deviceId }));
    const id = config?.id ?? '';
    await mine.data(`${path}/update`, { id, configValue: 'sine' });
    const console = await at(`/changes?deviceId=${deviceId}`, 'back-setting');
    const { page } = console;
    await page.getByRole('link', { name: 'Set back signal to before this change' }).click();
    const note = page.getByRole('group', { name: 'Earlier version' });
    await note.getByText('value: sine → setpoint').waitFor();
    const field = page.getByRole('group', { name: 'target' });
    const save = field.getByRole('button', { name: 'Save: target' });
    expect(await barriers(console)).toEqual([]);
    await save.click();
    await note.getByText('It is now as it was then.').waitFor();
    const stored = await mine.data(`${path}/list_by_device_id`, undefined, { device_id: deviceId });
    expect(stored).toMatchObject([{ pointId: target, configValue: 'setpoint' }]);
    // Of one that is deleted nothing is filled in.
    await mine.post(`${path}/delete`, undefined, { id });
    await page.reload();
    await page.getByText('It was deleted since then, and is not set back.').waitFor();
    expect(await save.isDisabled()).toBe(true);
    expectQuiet(console);
  });

  it('are not set back where no form has what was changed, or the log hides what it was', async () => {
    const mine = await world.tenant('back-none');
    const { driverId, deviceId, temperature: pointId } = await onboard(mine);
    await mine.data(`${MANAGER}/device/update`, { id: deviceId, enableFlag: 'DISABLE' });
    const named = { attributeCode: 'entryToken', attributeName: 'Token' };
    const attributeId = await add(mine, 'point_attribute', { driverId, ...named });
    const own = { deviceId, pointId, attributeId, configValue: 'first' };
    const id = await add(mine, 'point_attribute_config', own);
    const update = (change: object) =>
      mine.data(`${MANAGER}/point_attribute_config/update`, { id, ...change });
    await update({ remark: 'north' });
    await update({ configValue: 'second' });
    const console = await at(`/changes?deviceId=${deviceId}`, 'back-none');
    const { page } = console;
    await expect.poll(() => page.getByText(/^Changed the (device|setting)/).count()).toBe(3);
    expect(await page.getByText('Set back').count()).toBe(0);
    const of = { entityType: 'point_attribute_config', entityId: id };
    const { records } = z
      .object({ records: z.array(z.object({ at: z.string() })) })
      .parse(await mine.data('/api/v3/data/change/list', of));
    await console.go(
      `/devices/${deviceId}/edit?setting=point_attribute_config:${id}&back=${records[0]?.at}`,
    );
    await page.getByText('It is secret, so what it was is not known').waitFor();
    expect(await page.getByText('It is now as it was then.').count()).toBe(0);
    const field = page.getByRole('group', { name: 'temperature' });
    expect(await field.getByLabel('Token').inputValue()).toBe('second');
    expect(await field.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    expectQuiet(console);
  });

  it('do not fill in what became a secret since then', async () => {
    const mine = await world.tenant('back-secret');
    const { driverId, deviceId, temperature: pointId } = await onboard(mine);
    const named = { attributeCode: 'entry', attributeName: 'Entry' };
    const attributeId = await add(mine, 'point_attribute', { driverId, ...named });
    const own = { deviceId, pointId, attributeId, configValue: 'first' };
    const id = await add(mine, 'point_attribute_config', own);
    const update = (configValue: string) =>
      mine.data(`${MANAGER}/point_attribute_config/update`, { id, configValue });
    await update('second');
    const attributeExt = { security: { secret: true } };
    await mine.data(`${MANAGER}/point_attribute/update`, { id: attributeId, attributeExt });
    await update('third');
    const console = await at(`/changes?deviceId=${deviceId}`, 'back-secret');
    const { page } = console;
    await page.getByRole('link', { name: 'Set back entry to before this change' }).click();
    await page.getByText('It is secret, so what it was is not known').waitFor();
    const field = page.getByRole('group', { name: 'temperature' });
    expect(await field.getByLabel('Entry').inputValue()).toBe('');
    expect(await field.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('say what cannot be set back: what is gone, a change that is not there, one too far back', async () => {
    const mine = await world.tenant('back-gone');
    const profileName = 'Short-lived';
    const gone = await add(mine, 'profile', { profileName: 'Shortlived' });
    await mine.data(`${MANAGER}/profile/update`, { id: gone, profileName });
    await mine.post(`${MANAGER}/profile/delete`, undefined, { id: gone });
    const { deviceId: id } = await onboard(mine);
    const update = (remark: string) => mine.data(`${MANAGER}/device/update`, { id, remark });
    await update('first');
    const { records } = z
      .object({ records: z.array(z.object({ at: z.string() })) })
      .parse(await mine.data('/api/v3/data/change/list', { entityType: 'device', entityId: id }));
    for (let count = 0; count < 100; count += 1) await update(`${count}`);
    const console = await at(`/changes?entityType=profile&entityId=${gone}`, 'back-gone');
    const { page } = console;
    await page.getByRole('button', { name: 'Set back Short-lived' }).click();
    await page.getByRole('dialog').getByText('It does not exist').waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.keyboard.press('Escape');
    await console.go(`/devices/${id}/edit?back=${records[0]?.at}`);
    await page.getByText('It was changed more than 100 times since then').waitFor();
    expect(await page.getByLabel('Remark').inputValue()).toBe('99');
    await console.go(`/devices/${id}/edit?back=2026-01-01T00:00:00.000Z`);
    await page.getByText('It was changed more than 100 times since then').waitFor();
    await console.go(`/devices/${id}/edit?back=2096-01-01T00:00:00.000Z`);
    await page.getByText('The change log has no such change').waitFor();
    expectQuiet(console, '404');
  });

  it('are set back by those that may change the thing', async () => {
    const mine = await world.tenant('back-reader');
    const { deviceId: id } = await onboard(mine);
    await mine.data(`${MANAGER}/device/update`, { id, remark: 'north' });
    const { name } = await worker(mine, ['svc-center-data:change:list']);
    const person = { tenant: 'back-reader', name, password: PASSWORD };
    const { page } = await at('/changes', person);
    await page.getByText('Changed the device').waitFor();
    expect(await page.getByText('Set back').count()).toBe(0);
  });
});

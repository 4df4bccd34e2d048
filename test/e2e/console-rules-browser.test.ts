import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { addRule, report, type Site, site, storedRules } from '../support/console/rule-site.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { until } from '../support/world/until.ts';

const DATA = '/api/v3/data';

const world = startedWorld();
const { at } = consoles(world);

const opened = (tenant: string, path: string, shown = {}) => at(path, tenant, shown);

async function choosePoint(page: Page, { deviceName, pointName }: Site): Promise<void> {
  await page.getByLabel('Device', { exact: true }).selectOption({ label: deviceName });
  await page.getByLabel('Point', { exact: true }).selectOption({ label: pointName });
}

describe('the rules of alarms', () => {
  it('are made as a form that shows what they would have raised, and are found in the list', async () => {
    const mine = await site(world, 'rules-make');
    await report(mine);
    const console = await opened('rules-make', '/alarms');
    const { page } = console;
    await page.getByRole('link', { name: 'Rules' }).click();
    await page.getByText('There is no rule yet').waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('link', { name: 'New rule' }).first().click();
    await choosePoint(page, mine);
    await page.getByText('Only this device has the point.').waitFor();
    await page.getByText('As soon as the condition is whole').waitFor();
    await page.getByLabel('Limit (°C)').fill('90');
    await page.getByText('It would have fired 2 times in the last 7 days.').waitFor();
    await page.getByText('temperature of every device with this point is above 90 °C').waitFor();
    await page.getByText('extreme 99 °C').waitFor();
    await page.getByText('extreme 93 °C').waitFor();
    await page.getByLabel('Limit (°C)').fill('95');
    await page.getByText('It would have fired once in the last 7 days.').waitFor();
    await page.getByLabel('For at least').first().fill('5');
    await page.getByLabel('Unit of time').first().selectOption('min');
    await page.getByText('It would not have fired in the last 7 days.').waitFor();
    await page.getByRole('button', { name: '24 hours' }).click();
    await page.getByText('It would not have fired in the last 24 hours.').waitFor();
    expect(new URL(page.url()).searchParams.get('days')).toBe('1');
    expect(await storedRules(mine)).toEqual([]);
    expect(await barriers(console)).toEqual([]);
    await page.getByLabel('Name', { exact: true }).fill('Room far too hot');
    await page.getByLabel('Level').selectOption('P0');
    await page.getByLabel('What to do').fill('Open the window.');
    await page.getByRole('button', { name: 'Add the rule' }).click();
    await page.getByRole('heading', { name: 'Room far too hot', level: 1 }).waitFor();
    expect(await storedRules(mine)).toMatchObject([
      {
        ruleName: 'Room far too hot',
        enableFlag: 'ENABLE',
        ruleExt: {
          content: {
            condition: { field: 'value', operator: '>', threshold: 95, unit: '°C' },
            window: { duration: 'PT5M' },
            severity: 'P0',
            instruction: 'Open the window.',
          },
        },
      },
    ]);
    await page.getByRole('link', { name: 'All rules' }).click();
    await page.getByText('above 95 °C for 5 min').waitFor();
    await page.getByLabel('Rule name').fill('something else');
    await page.getByText('No rule is like this.').waitFor();
    await page.getByLabel('Rule name').fill('far too');
    await page.getByRole('link', { name: 'Room far too hot' }).waitFor();
    expect(new URL(page.url()).searchParams.get('name')).toBe('far too');
    expectQuiet(console);
  });

  it('show a change beside the alarms that the stored rule did raise', async () => {
    const mine = await site(world, 'rules-change');
    const id = await addRule(mine, 'Room hot');
    await report(mine);
    const console = await opened('rules-change', '/alarms?state=recovered');
    const { page } = console;
    await page.getByRole('link', { name: 'Room hot' }).first().click();
    await page.getByRole('link', { name: 'Room hot', exact: true }).click();
    await page.waitForURL(`**/console/rules/${id}`);
    await page.getByText('It would have fired 2 times in the last 7 days.').waitFor();
    await page.getByText('The stored rule fired 2 times.').waitFor();
    await page.getByLabel('Limit (°C)').fill('98');
    await page.getByText('It would have fired once in the last 7 days.').waitFor();
    await page.getByText('The stored rule fired 2 times.').waitFor();
    const sides = page.locator('section.stack');
    await until(async () => expect(await sides.getByRole('listitem').count()).toBe(3));
    expect(await sides.last().getByRole('link').count()).toBe(2);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved: Room hot').waitFor();
    expect(await storedRules(mine)).toMatchObject([
      { id, ruleExt: { content: { condition: { threshold: 98 }, severity: 'P1' } } },
    ]);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('keep their states where only the name is changed', async () => {
    const mine = await site(world, 'rules-name');
    const id = await addRule(mine, 'Room hot');
    await report(mine);
    const console = await opened('rules-name', `/rules/${id}`);
    const { page } = console;
    await page.getByLabel('Name', { exact: true }).fill('Room quite hot');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved: Room quite hot').waitFor();
    const states = await mine.session.data(`${DATA}/rule/state/list`, { ruleId: id });
    expect(z.object({ total: z.number() }).parse(states).total).toBe(1);
    expectQuiet(console);
  });

  it('are reached and made by the keyboard alone', async () => {
    const mine = await site(world, 'rules-keys');
    await report(mine);
    const console = await opened('rules-keys', '/');
    const { page } = console;
    const to = async (target: Locator): Promise<void> => {
      await target.waitFor();
      const isThere = () => target.evaluate((element) => element.matches(':focus'));
      for (let presses = 0; presses < 60 && !(await isThere()); presses += 1)
        await page.keyboard.press('Tab');
      expect(await isThere()).toBe(true);
    };
    await page.keyboard.press('Control+k');
    await page.keyboard.type('alarm rules');
    await page.getByRole('option', { name: 'Alarm rules' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Alarm rules', level: 1 }).waitFor();
    await to(page.getByRole('link', { name: 'New rule' }).first());
    await page.keyboard.press('Enter');
    await to(page.getByLabel('Device', { exact: true }));
    await page.getByRole('option', { name: mine.deviceName }).waitFor({ state: 'attached' });
    await page.keyboard.type(mine.deviceName);
    await to(page.getByLabel('Point', { exact: true }));
    await page
      .getByLabel('Point', { exact: true })
      .getByRole('option', { name: 'temperature' })
      .waitFor({ state: 'attached' });
    await page.keyboard.type('temp');
    await to(page.getByLabel('Limit (°C)'));
    await page.keyboard.type('96');
    await page.getByText('It would have fired once in the last 7 days.').waitFor();
    await to(page.getByLabel('Name', { exact: true }));
    await page.keyboard.type('By keys');
    await to(page.getByRole('button', { name: 'Add the rule' }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'By keys', level: 1 }).waitFor();
    expect(await storedRules(mine)).toMatchObject([{ ruleName: 'By keys' }]);
    expectQuiet(console);
  });

  it('are shown with what may keep them from firing after they are saved', async () => {
    const mine = await site(world, 'rules-warned');
    const id = await addRule(mine, 'Room hot');
    const console = await opened('rules-warned', `/rules/${id}`);
    const { page } = console;
    await page.getByText('No value that was looked at is a number that it compares.').waitFor();
    await report(mine);
    await page.getByLabel('What to do').fill('Open the window.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('No value that was looked at').waitFor({ state: 'detached' });
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('watch a parameter of an event, too', async () => {
    const mine = await site(world, 'rules-event');
    const console = await opened('rules-event', '/rules/new');
    const { page } = console;
    await page.getByLabel('What it watches').selectOption('EVENT');
    await page.getByLabel('Device', { exact: true }).selectOption({ label: mine.deviceName });
    await page.getByLabel('Field').selectOption({ label: 'Parameter of the event' });
    await page.getByLabel('Parameter of the event').fill('volume');
    await page.getByLabel('is', { exact: true }).selectOption('between');
    await page.getByLabel('From').fill('3');
    await page.getByLabel('To', { exact: true }).fill('7.5');
    await page.getByText('It would not have fired in the last 7 days.').waitFor();
    await page.getByText('Only a confirmation ends its alarms').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Loud');
    await page.getByRole('button', { name: 'Add the rule' }).click();
    await page.getByRole('heading', { name: 'Loud', level: 1 }).waitFor();
    await page.getByText(mine.deviceName).waitFor();
    expect(await page.getByLabel('Parameter of the event').inputValue()).toBe('volume');
    expect(await storedRules(mine)).toMatchObject([
      {
        alarmTargetTypeFlag: 'EVENT',
        entityId: mine.plant.deviceId,
        ruleExt: {
          content: {
            condition: { field: 'paramValues.volume', operator: 'between', low: 3, high: 7.5 },
          },
        },
      },
    ]);
    expectQuiet(console);
  });

  it('are switched off and deleted after a question, and on again at once', async () => {
    const mine = await site(world, 'rules-turn');
    await addRule(mine, 'Room hot');
    const console = await opened('rules-turn', '/rules');
    const { page } = console;
    await page.getByRole('button', { name: 'Switch off: Room hot' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Its alarms that fire now are closed.').waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await storedRules(mine)).toMatchObject([{ enableFlag: 'ENABLE' }]);
    await page.getByRole('button', { name: 'Switch off: Room hot' }).click();
    await dialog.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('switched off', { exact: true }).waitFor();
    expect(await storedRules(mine)).toMatchObject([{ enableFlag: 'DISABLE' }]);
    await page.getByRole('button', { name: 'Switched on', exact: true }).click();
    await page.getByText('No rule is like this.').waitFor();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByRole('button', { name: 'Switch on: Room hot' }).click();
    await page.getByText('switched on', { exact: true }).waitFor();
    expect(await storedRules(mine)).toMatchObject([{ enableFlag: 'ENABLE' }]);
    await page.getByRole('button', { name: 'Delete: Room hot' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There is no rule yet').waitFor();
    expect(await storedRules(mine)).toEqual([]);
    expectQuiet(console);
  });

  it('are refused by the server at their fields', async () => {
    const mine = await site(world, 'rules-wrong');
    const console = await opened('rules-wrong', '/rules/new');
    const { page } = console;
    await choosePoint(page, mine);
    await page.getByLabel('Limit (°C)').fill('90');
    await page.getByText('No value is stored in this span').waitFor();
    await page.getByRole('button', { name: 'Add the rule' }).click();
    const name = page.getByLabel('Name', { exact: true });
    await until(async () => expect(await name.getAttribute('aria-invalid')).toBe('true'));
    await name.fill('Too long');
    const held = page.getByLabel('For at least').first();
    await held.fill('40');
    await page.getByLabel('Unit of time').first().selectOption('d');
    await page.getByRole('button', { name: 'Add the rule' }).click();
    await until(async () => expect(await held.getAttribute('aria-invalid')).toBe('true'));
    await page.getByText('must be an ISO-8601 duration of at most 30 days').first().waitFor();
    expect(await storedRules(mine)).toEqual([]);
    await console.go('/rules/4611686018427387904');
    await page.getByText('It does not exist').waitFor();
    expectQuiet(console, '40');
  });

  it('fit a phone, in Chinese and dark', async () => {
    const mine = await site(world, 'rules-phone');
    const id = await addRule(mine, 'Raum zu heiß und noch viel mehr als das');
    await report(mine);
    const shown = { width: 360, language: 'zh', look: 'dark' };
    const console = await opened('rules-phone', '/rules', shown);
    const { page } = console;
    await page.getByRole('heading', { name: '告警规则', level: 1 }).waitFor();
    await page.getByText('高于 90 °C').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await console.go(`/rules/${id}`);
    await page.getByText('最近 7 天内会触发 2 次。').waitFor();
    await page.getByText('已存储的规则触发了 2 次。').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('can be looked at, and not tried or changed, without the rights for it', async () => {
    const mine = await site(world, 'rules-rights');
    const id = await addRule(mine, 'Room hot');
    const codes = ['svc-center-data:rule:list', 'svc-center-data:rule:get'];
    const { name } = await worker(mine.session, codes);
    const console = await at('/rules', { tenant: 'rules-rights', name, password: PASSWORD });
    const { page } = console;
    await page.getByRole('link', { name: 'Room hot' }).waitFor();
    expect(await page.getByRole('button', { name: /Switch off|Delete/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'New rule' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Room hot' }).click();
    await page.waitForURL(`**/console/rules/${id}`);
    await page.getByLabel('Name', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'On what is stored' }).count()).toBe(0);
    expect([...console.calls].filter((call) => call.includes('preview'))).toEqual([]);
    expectQuiet(console);
  });
});

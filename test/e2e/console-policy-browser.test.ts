import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';

const NOTIFY = '/api/v3/data/notify';

const world = started(() => startWorld());
const { at } = consoles(world);

/** A policy with the channels Operator and Manager. */
async function policyOf(session: Session, content: object) {
  const added = async (path: string, given: object): Promise<string> =>
    z.string().parse(await session.data(`${NOTIFY}${path}/add`, given));
  const channel = (channelName: string): Promise<string> =>
    added('/channel', {
      channelName,
      channelTypeFlag: 'EMAIL',
      target: `${channelName.toLowerCase()}@example.org`,
    });
  const [operator, manager] = [await channel('Operator'), await channel('Manager')];
  const id = await added('', { notifyName: 'Night' });
  const bind = (channelId: string): Promise<string> =>
    added('/channel/bind', { notifyId: id, channelId });
  const binds = { operator: await bind(operator), manager: await bind(manager) };
  await session.data(`${NOTIFY}/update`, {
    id,
    notifyExt: { type: 'site', version: 3, remark: 'of the plant', content },
  });
  return { id, operator, manager, binds };
}

const stored = (session: Session, path: string, id: string): Promise<unknown> =>
  session.data(`${NOTIFY}${path}/get_by_id`, undefined, { id });

const save = async (dialog: Locator): Promise<void> => {
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
};

describe('the form of a policy', () => {
  it('has its steps and quiet hours, says them in words, and keeps what it does not show', async () => {
    const mine = await world.tenant('steps');
    const { id, operator, manager } = await policyOf(mine, {
      dedup: { enabled: true, key: 'ours' },
      rateLimit: { intervalMs: 90_000, maxCount: 3 },
      repeat: { enabled: true, intervalMs: 1_800_000, maxTimes: 7 },
      recovery: { autoConfirmOnRecovery: true },
      alarmTypes: ['OFFLINE'],
    });
    const console = await at('/notifications', 'steps');
    const { page } = console;
    await page.getByRole('button', { name: 'Edit Night' }).click();
    const dialog = page.getByRole('dialog');
    const says = dialog.getByRole('region', { name: 'In words' });
    await says.getByText('At most 3 firings in 90 s are sent.').waitFor();

    await dialog.getByRole('button', { name: 'Add hours' }).click();
    const hours = dialog.getByRole('group', { name: /22:00–06:00/ });
    await hours.getByLabel('Time zone').fill('Europe/Berlin');
    await hours.getByLabel('Sat').check();
    await hours.getByLabel('Sun').check();
    await says.getByText('Quiet Sat, Sun 22:00–06:00 (Europe/Berlin).').waitFor();

    await dialog.getByRole('button', { name: 'Add a step' }).click();
    await says.getByText('is missing').waitFor();
    const save0 = dialog.getByRole('button', { name: 'Save', exact: true });
    expect(await save0.getAttribute('aria-disabled')).toBe('true');
    const first = dialog.getByRole('group', { name: 'Step 1' });
    await first.getByLabel('Operator').check();
    await first.getByLabel('Minutes after it began').fill('5');
    await dialog.getByRole('button', { name: 'Add a step' }).click();
    const second = dialog.getByRole('group', { name: 'Step 2' });
    await second.getByLabel('Manager').check();
    await second.getByLabel('Minutes after it began').fill('0.5');
    await second.getByLabel('As soon as the channels before').check();
    await second.getByLabel('P0').check();
    await second.getByLabel('On call only at certain hours').check();
    await says.getByText('Step 1: calls Operator after 5 min unconfirmed.').waitFor();
    await says
      .getByText(
        'Step 2: for P0 calls Manager after 30 s unconfirmed or when the channels before fail, on call Mon–Fri 08:00–17:00 (UTC).',
      )
      .waitFor();
    expect(await barriers(console)).toEqual([]);
    await save(dialog);

    await page.getByText('Step 1: calls Operator after 5 min unconfirmed.').waitFor();
    expect(await stored(mine, '', id)).toMatchObject({
      notifyExt: {
        type: 'site',
        version: 3,
        remark: 'of the plant',
        content: {
          dedup: { enabled: true, key: 'ours' },
          rateLimit: { intervalMs: 90_000, maxCount: 3 },
          repeat: { enabled: true, intervalMs: 1_800_000, maxTimes: 7 },
          recovery: { enabled: true, sendRecoveryMessage: true, autoConfirmOnRecovery: true },
          alarmTypes: ['OFFLINE'],
          silence: {
            windows: [
              { timezone: 'Europe/Berlin', start: '22:00', end: '06:00', daysOfWeek: [6, 7] },
            ],
          },
          escalation: [
            { afterMs: 300_000, onFailure: false, channels: [operator], levels: [] },
            {
              afterMs: 30_000,
              onFailure: true,
              channels: [manager],
              levels: ['P0'],
              onCall: { timezone: 'UTC', windows: [{ start: '08:00', end: '17:00' }] },
            },
          ],
        },
      },
    });

    await page.getByRole('button', { name: 'Edit Night' }).click();
    await dialog.getByRole('button', { name: 'Remove Step 1' }).click();
    expect(await first.getByLabel('Minutes after it began').inputValue()).toBe('0.5');
    await hours
      .getByRole('button', { name: /Remove/ })
      .first()
      .click();
    await save(dialog);
    expect(await stored(mine, '', id)).toMatchObject({
      notifyExt: { content: { silence: { windows: [] }, escalation: [{ channels: [manager] }] } },
    });
    expectQuiet(console);
  });

  it('has what is sent together, and says the zone that the server refuses', async () => {
    const mine = await world.tenant('together');
    const { id } = await policyOf(mine, {});
    const console = await at('/notifications', 'together');
    const { page } = console;
    await page.getByRole('button', { name: 'Edit Night' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Seconds in which they begin').fill('45');
    await dialog.getByLabel('Of one driver').check();
    await dialog.getByLabel('Messages before all others').fill('20');
    await dialog.getByLabel('In how many minutes').fill('5');
    await dialog.getByLabel('Less urgent ones').selectOption('At times of day');
    await dialog.getByLabel('Times of day').fill('07:00, 19:00');
    await dialog.getByRole('button', { name: 'Add hours' }).click();
    await dialog.getByLabel('Time zone').fill('Europe/Nowhere');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByRole('alert').getByText('IANA time zone').waitFor();
    await dialog.getByLabel('Time zone').fill('Asia/Shanghai');
    await save(dialog);
    expect(await stored(mine, '', id)).toMatchObject({
      notifyExt: {
        content: {
          grouping: { waitMs: 45_000, by: ['driver'] },
          flood: { count: 20, perMs: 300_000 },
          digest: { at: ['07:00', '19:00'], levels: ['P2', 'P3'] },
          silence: { windows: [{ timezone: 'Asia/Shanghai' }] },
        },
      },
    });
    await page
      .getByText('Alarms that begin within 45 s are one message (of one driver).')
      .waitFor();
    await page.getByText('Quiet daily 22:00–06:00 (Asia/Shanghai).').waitFor();
    expectQuiet(console, 'status of 400');
  });

  it('begins with a limit of firings, so that an alarm that comes and goes is no flood', async () => {
    const mine = await world.tenant('begun');
    const console = await at('/notifications', 'begun');
    const { page } = console;
    await page.getByRole('button', { name: 'Add a policy', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Day');
    await dialog.getByText('At most one firing in 5 min is sent.').waitFor();
    await dialog.getByRole('button', { name: 'Add a policy' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await mine.data(`${NOTIFY}/list`, {})).toMatchObject({
      records: [{ notifyName: 'Day', notifyInterval: 300_000 }],
    });
    expectQuiet(console);
  });
});

describe('the form of a channel of a policy', () => {
  it('has its levels, its rota with holidays, and its quiet hours', async () => {
    const mine = await world.tenant('rota');
    const { binds } = await policyOf(mine, {});
    const console = await at('/notifications', 'rota');
    const { page } = console;
    await page.getByRole('button', { name: 'Hours and levels of Manager in Night' }).click();
    const dialog = page.getByRole('dialog');
    const says = dialog.getByRole('region', { name: 'In words' });
    await says.getByText('Called at once, at any hour.').waitFor();
    await dialog.getByRole('group', { name: 'Levels; none: all' }).getByLabel('P1').check();
    await dialog.getByLabel('On call only at certain hours').check();
    await dialog.getByLabel('Holidays').fill('2026-12-25, 2026-12-26');
    await says.getByText('On call Mon–Fri 08:00–17:00 (UTC), on 2 holidays not at all.').waitFor();
    const holidays = dialog.getByRole('group', { name: 'On call on holidays' });
    await holidays.getByRole('button', { name: 'Add hours' }).click();
    await holidays.getByLabel('To', { exact: true }).fill('12:00');
    await dialog
      .getByRole('group', { name: 'Quiet hours' })
      .getByRole('button', { name: 'Add hours' })
      .click();
    await dialog.getByRole('group', { name: 'Levels that are sent' }).getByLabel('P0').check();
    await says.getByText('Quiet daily 22:00–06:00 (UTC), but for P0.').waitFor();
    expect(await barriers(console)).toEqual([]);
    await save(dialog);
    await page.getByText(/Only P1\. .*on 2 holidays Mon–Fri 08:00–12:00/).waitFor();
    const days = { daysOfWeek: [1, 2, 3, 4, 5] };
    expect(await stored(mine, '/channel/bind', binds.manager)).toMatchObject({
      bindExt: {
        content: {
          levels: ['P1'],
          sendRecovery: true,
          onCall: {
            timezone: 'UTC',
            windows: [{ start: '08:00', end: '17:00', ...days }],
            holidays: {
              dates: ['2026-12-25', '2026-12-26'],
              windows: [{ start: '08:00', end: '12:00', ...days }],
            },
          },
          quiet: { windows: [{ start: '22:00', end: '06:00' }], through: ['P0'] },
        },
      },
    });
    expectQuiet(console);
  });

  it('fits a phone, in Chinese and in the dark', async () => {
    const mine = await world.tenant('rota-zh');
    await policyOf(mine, {});
    const console = await at('/notifications', 'rota-zh', {
      width: 360,
      language: 'zh',
      look: 'dark',
    });
    const { page } = console;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Night 中 Manager 的时段和级别' }).click();
    await dialog.getByLabel('仅在某些时段值班').check();
    await dialog.getByText('值班 周一–周五 08:00–17:00（UTC）。').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: '取消' }).click();
    await page.getByRole('button', { name: '编辑 Night' }).click();
    await dialog.getByRole('button', { name: '添加步骤' }).click();
    await dialog.getByRole('group', { name: '第 1 步' }).getByLabel('Operator').check();
    await dialog.getByText('第 1 步：未确认 10 分钟 后呼叫 Operator。').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });
});

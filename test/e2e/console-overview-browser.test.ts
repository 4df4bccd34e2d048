import { describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet } from '../support/console/page-state.ts';
import { watch } from '../support/devices/notify.ts';
import { watched } from '../support/devices/watched.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import { actionsIn } from '../support/people/actions.ts';
import { startedWorld } from '../support/world/prepared.ts';

/** As long as a name may be. */
const LONG = 'The-boiler-house-of-the-third-line';
const HOSTILE = '<img src=x onerror=alert(1)>';

/** A browser beside other tests. */
const SOON = { timeout: 30_000 };

const world = startedWorld();
const { at } = consoles(world);

const overviewOf = (tenant: string, shown = {}) => at('/', tenant, shown);

describe('the overview', () => {
  it('says of an empty plant what the next steps are', async () => {
    await world.tenant('overview-empty');
    const console = await overviewOf('overview-empty');
    const { page } = console;
    for (const text of ['nothing needs attention', 'No proposal waits.', 'No alarm fires.'])
      await page.getByText(text).waitFor();
    await page.getByText('No agent has called yet.').waitFor();
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('shows what fires and what waits as it comes, and leads there by the keyboard alone', async () => {
    const mine = await world.tenant('overview-live');
    const boiler = await watched(world, mine, 'boiler', { severity: 'P1' });
    const console = await overviewOf('overview-live');
    const { page } = console;
    await page.getByText('nothing needs attention').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await boiler.measure(81);
    await page.getByRole('link', { name: 'boiler too hot' }).waitFor();
    const { actionId } = await actionsIn(world, mine).proposeIn(boiler.site, '21');
    const link = page.getByRole('link', { name: 'boiler set-point' });
    await link.waitFor();
    await page.getByText('2 things need attention').waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).click();
    const isThere = () => link.evaluate((element) => element.matches(':focus'));
    for (let presses = 0; presses < 20 && !(await isThere()); presses += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname, SOON).toBe(`/console/review/${actionId}`);
    expectQuiet(console);
  });

  it('fits long names and the words of an agent, in the dark and on a phone', async () => {
    const mine = await world.tenant('overview-hostile');
    const site = await watched(world, mine, LONG, { severity: 'P0' });
    await site.measure(81);
    await actionsIn(world, mine).proposeIn(site.site, '21', { reason: HOSTILE });
    const console = await overviewOf('overview-hostile', { look: 'dark', width: 360 });
    const { page } = console;
    await page.getByRole('link', { name: `${LONG} too hot` }).waitFor();
    await page.getByRole('link', { name: `${LONG} set-point` }).waitFor();
    const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(wider)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('says which channel does not know of what fires, and why', async () => {
    const mine = await world.tenant('overview-unnotified');
    const hour = new Date(world.clock.now()).getUTCHours();
    const time = (of: number): string => `${String((of + 24) % 24).padStart(2, '0')}:00`;
    const silence = { windows: [{ start: time(hour - 1), end: time(hour + 2) }] };
    const pager = await watch(
      world,
      {
        channels: [{ target: 'https://pager.example/hook', channelName: 'Pager' }],
        notify: { notifyExt: { content: { silence } } },
      },
      mine,
    );
    await pager.measure(95);
    world.clock.shift(120_000);
    const console = await overviewOf('overview-unnotified');
    const { page } = console;
    await page.getByRole('link', { name: 'Pager' }).waitFor();
    await page.getByText('held back').waitFor();
    await page.getByText('misses 1 firing alarm').waitFor();
    await page.getByText('its policy is silent now').waitFor();
    // The alarm and the channel; its room may be away by then.
    await page.getByText(/^[23] things need attention$/).waitFor();
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('leaves out what the person may not see', async () => {
    const mine = await world.tenant('overview-narrow');
    const { name } = await worker(mine, ['svc-center-agentic:action:get']);
    const console = await at('/', { tenant: 'overview-narrow', name, password: PASSWORD });
    const { page } = console;
    await page.getByText('No proposal waits.').waitFor();
    for (const title of ['Firing alarms', 'Devices offline', 'Agents acting now', 'Right now'])
      expect(await page.getByText(title).count()).toBe(0);
    expectQuiet(console);
    await console.close();
    const nothing = await worker(mine, ['svc-center-manager:device:list']);
    const other = await at('/', {
      tenant: 'overview-narrow',
      name: nothing.name,
      password: PASSWORD,
    });
    await other.page.getByText('Your rights do not reach here').waitFor();
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { type ViewName, viewPage } from '../../src/console/view-page.ts';
import { startBrowser } from '../support/console/chromium.ts';
import { onboard } from '../support/devices/plant.ts';
import { actionsIn } from '../support/people/actions.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { type Ask, asking } from '../support/people/mcp-2026.ts';
import { confirmSeen } from '../support/runs/confirm-seen.ts';
import * as answers from '../support/view/answers.ts';
import { type ShownView, startViewHost } from '../support/view/view-host.ts';
import { prepared, started, startedWorld } from '../support/world/prepared.ts';
import { onboard as watchable, report } from '../tools/agent.ts';

const HOSTILE =
  '<img src=https://evil.test/a.png onerror=alert(1)>"\'><script>alert(2)</script>{{7*7}}';
const CAN = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};
const Contents = z.object({ contents: z.tuple([z.object({ text: z.string() })]) });
const Result = z.looseObject({ structuredContent: z.record(z.string(), z.unknown()) });

/** A browser beside other tests. */
const SOON = { timeout: 30_000 };

const browser = started(startBrowser);
const host = started(() => startViewHost(browser));

/** Nothing of its own went out, ran or failed. */
function expectQuiet({ requests, wrong }: ShownView): void {
  expect(requests).toEqual([]);
  expect(wrong).toEqual([]);
}

describe('views before a running platform', () => {
  let ask: Ask;
  const world = startedWorld();
  const plant = prepared(() => onboard(world.admin));
  beforeAll(async () => {
    const token = await bearerFor(world.admin, { scope: 'svc:read svc:propose' });
    ask = asking(world.base, token, CAN);
  });

  const call = async (name: string, input: Record<string, unknown>) =>
    (await ask('tools/call', { name, arguments: input })).result;
  const show = async (uri: string, name: string, input: Record<string, unknown>) => {
    const { contents } = Contents.parse((await ask('resources/read', { uri })).result);
    const shown = await host.show(contents[0].text, input, { call });
    const result = Result.parse(await call(name, input));
    await shown.answer(result);
    return { shown, result };
  };

  it('a proposal is shown, reviewed elsewhere and followed to the receipt of its device', async () => {
    const input = { deviceId: plant.deviceId, pointId: plant.target, value: 21.5, reason: 'warm' };
    const { shown, result } = await show('ui://svc/proposal', 'writePointValue', input);
    const { view, opened, calls } = shown;
    const { actionId, reviewUrl } = result.structuredContent;
    await view.getByText('waits for a decision').waitFor();
    await view.getByRole('button', { name: 'Review' }).click();
    await expect.poll(() => opened, SOON).toEqual([reviewUrl]);
    const actions = actionsIn(world, world.admin);
    expect(await actions.commandsOf(String(actionId))).toEqual([]);
    await confirmSeen(world.admin, String(actionId), 0);
    await view.locator('.chip.good', { hasText: 'done' }).waitFor();
    await view.locator('.progress > .past').nth(4).waitFor();
    await view.getByText('Read back').last().waitFor();
    expect(await view.getByRole('button', { name: 'Review' }).count()).toBe(0);
    expect(new Set(calls.map(({ name }) => name))).toEqual(new Set(['lookupActionById']));
    await shown.end();
    expectQuiet(shown);
    await shown.close();
  });

  it('a trend shows stored values, and is drawn again with a newer answer', async () => {
    // Its driver does not run: the values are these.
    const site = await watchable(world.admin, 'trend');
    const values = Array.from({ length: 40 }, (_, index) => ({
      deviceId: site.deviceId,
      pointId: site.pointId,
      value: String(20 + Math.sin(index / 4)),
      createTime: new Date(world.clock.now() - (45 - index) * 600_000).toISOString(),
    }));
    await world.admin.data('/api/v3/data/point_value/import', { values });
    const input = { deviceId: site.deviceId, pointId: site.pointId, hours: 12 };
    const { shown } = await show('ui://svc/trend', 'getPointValueHistory', input);
    const drawn = async (): Promise<number> =>
      Number(/(\d+) values$/.exec((await chart.getAttribute('aria-label')) ?? '')?.[1]);
    const chart = shown.view.locator('.trend-chart');
    await expect.poll(drawn, SOON).toBe(40);
    expect(shown.calls).toEqual([
      { name: 'getPointValueHistory', input: { ...input, rows: 50, maxTokens: 6_000 } },
    ]);
    const pixels = () => shown.view.evaluate("document.querySelector('canvas').toDataURL()");
    const before = await pixels();
    const newer = [
      { ...values[0], value: '29', createTime: new Date(world.clock.now() - 60_000).toISOString() },
    ];
    await world.admin.data('/api/v3/data/point_value/import', { values: newer });
    await shown.answer(await call('getPointValueHistory', input));
    await expect.poll(drawn, SOON).toBe(41);
    await expect.poll(pixels, SOON).not.toBe(before);
    await chart.focus();
    await shown.page.keyboard.press('ArrowLeft');
    await shown.view.locator('.reading', { hasText: '29' }).waitFor();
    await shown.view.getByRole('button', { name: '7 d' }).click();
    await expect.poll(() => shown.calls.at(-1)?.input['hours'], SOON).toBe(168);
    expectQuiet(shown);
    await shown.close();
  });

  it('alarms are listed page by page', async () => {
    for (let index = 0; index < 6; index += 1) {
      const site = await watchable(world.admin, `line-${index}`);
      await world.admin.data('/api/v3/data/rule/add', {
        ruleName: `too hot ${index}`,
        alarmTargetTypeFlag: 'POINT',
        entityId: site.pointId,
        ruleExt: {
          content: {
            condition: { field: 'calValue', operator: '>', threshold: 80 },
            severity: 'P1',
          },
        },
      });
      await report(world, world.admin, site, [90]);
    }
    const { shown } = await show('ui://svc/alarms', 'searchAlarms', { maxTokens: 300 });
    const rows = shown.view.locator('ol.list > li');
    await rows.first().waitFor();
    const first = await rows.count();
    expect(first).toBeLessThan(6);
    for (let page = 0; page < 6 && (await rows.count()) < 6; page += 1) {
      const shownRows = await rows.count();
      await shown.view.getByRole('button', { name: 'Show more' }).click();
      await expect.poll(() => rows.count(), SOON).toBeGreaterThan(shownRows);
    }
    expect(await rows.count()).toBe(6);
    expect(await shown.view.locator('img').count()).toBe(0);
    expectQuiet(shown);
    await shown.close();
  });
});

const NAME = 'boiler 2';
const examples: Record<ViewName, (name: string) => Record<string, unknown>> = {
  trend: (name) => answers.historyOf(answers.trendOf(name, 48), answers.statesOf(name)),
  alarms: (name) =>
    answers.alarmsOf(
      [
        answers.alarmOf(name),
        answers.alarmOf(name, { state: 'RECOVERED', level: 'P2', occurrences: 1, notified: [] }),
        answers.alarmOf(name, { state: 'CLOSED', level: 'P3', confirmed: true }),
        answers.alarmOf(name, { state: 'REPORTED', rule: undefined, message: name }),
      ],
      'next',
    ),
  proposal: (name) => answers.proposalOf(name),
};
const names: ViewName[] = ['trend', 'alarms', 'proposal'];
/** Calls of the view that are never answered: what is shown stays as it is. */
const silent = () => new Promise<never>(() => {});

async function given(
  name: ViewName,
  text: string,
  around: Parameters<typeof host.show>[2] = {},
): Promise<ShownView> {
  const shown = await host.show(await viewPage(name), {}, { call: silent, ...around });
  const action = name === 'proposal' ? answers.actionOf(text) : undefined;
  await shown.answer(answers.told(examples[name](text), action));
  await shown.view.locator('h1').waitFor();
  return shown;
}

describe.each(names)('the view %s', (name) => {
  it.each(['light', 'dark'] as const)('can be read in the %s theme of its host', async (theme) => {
    const shown = await given(name, NAME, { theme: theme === 'light' ? 'dark' : 'light' });
    const before = await ground(shown);
    await shown.change({ theme });
    await expect.poll(() => ground(shown), SOON).not.toBe(before);
    const [least] = await shown.contrasts();
    expect(least?.[0], least?.[1]).toBeGreaterThanOrEqual(4.5);
    await shoot(shown, `${name}-${theme}`);
    expectQuiet(shown);
    await shown.close();
  });

  it('shows a hostile text as text', async () => {
    const shown = await given(name, HOSTILE, { width: 360 });
    const text = await shown.view.locator('main').innerText();
    expect(text).toContain('<script>alert(2)</script>{{7*7}}');
    expect(await shown.view.locator('main img, main script').count()).toBe(0);
    await shoot(shown, `${name}-hostile`);
    expectQuiet(shown);
    await shown.close();
  });

  it('fits a telephone, and moves nothing for people that do not want it', async () => {
    const shown = await given(name, NAME, { width: 360 });
    await shown.page.emulateMedia({ reducedMotion: 'reduce' });
    const { page, view } = shown;
    expect(await view.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    const height = Number(
      await view.evaluate('Math.ceil(document.documentElement.getBoundingClientRect().height)'),
    );
    const frame = page.locator('iframe');
    await expect.poll(async () => (await frame.boundingBox())?.height, SOON).toBe(height);
    expect(height).toBeGreaterThan(200);
    const moving = `[...document.querySelectorAll('*')].filter((one) => {
      const { transitionDuration, animationName } = getComputedStyle(one);
      return transitionDuration !== '0s' || animationName !== 'none';
    }).length`;
    expect(await view.evaluate(moving)).toBe(0);
    await shoot(shown, `${name}-telephone`);
    await shown.close();
  });

  it('shows what it was given where the host does nothing for it', async () => {
    const shown = await host.show(await viewPage(name), {});
    // Not even a structured answer.
    const text = JSON.stringify(examples[name](NAME));
    await shown.answer({ content: [{ type: 'text', text }] });
    await shown.view.getByText(NAME).first().waitFor();
    expect(await shown.view.getByRole('button', { name: /Refresh|more|again|7 d/ }).count()).toBe(
      0,
    );
    expect(shown.calls).toEqual([]);
    expectQuiet(shown);
    await shown.close();
  });

  it('says why there is nothing to show', async () => {
    const shown = await host.show(await viewPage(name), {});
    const content = [{ type: 'text', text: `No ${HOSTILE}` }];
    await shown.answer({ content, isError: true });
    await shown.view.getByText(`No ${HOSTILE}`).waitFor();
    expectQuiet(shown);
    await shown.close();
  });
});

it('a proposal is not followed for ever', async () => {
  const failing = async () => ({ content: [], isError: true });
  const shown = await host.show(await viewPage('proposal'), {}, { call: failing, opens: false });
  const { view, page, calls, opened } = shown;
  await page.clock.install();
  await shown.answer(answers.told(answers.proposalOf(NAME)));
  // By small steps: each look is answered outside the page, whose clock this is.
  const givenUp = async () => {
    await page.clock.runFor(5_000);
    return view.getByText('The outcome is not followed any more.').count();
  };
  await expect.poll(givenUp, SOON).toBe(1);
  expect(calls.length).toBe(5);
  // An address that the host does not open is there to be copied.
  await view.getByRole('button', { name: 'Review' }).click();
  await expect.poll(() => opened.length, SOON).toBe(1);
  await view.getByText(`Its address: ${opened[0]}`).waitFor();
  await view.getByRole('button', { name: 'Check again' }).click();
  await expect.poll(() => calls.length, SOON).toBe(6);
  await shown.close();
});

it('several writes as one are shown with what became of each', async () => {
  const waits = answers.actionsOf(HOSTILE);
  const [first, second] = waits.steps;
  if (!first || !second) throw new Error('there are no steps');
  const steps = [
    { ...first, status: 'FAILED' as const },
    { ...second, status: 'NOT_SENT' as const },
  ];
  const ended = answers.told(
    { actionId: 'x', status: 'FAILED', done: false, say: 'Stopped at the first.' },
    { ...waits, status: 'FAILED', say: 'Stopped at the first.', notes: [], steps },
  );
  const shown = await host.show(await viewPage('proposal'), {}, { call: async () => ended });
  await shown.answer(answers.told(answers.proposalsOf(HOSTILE), waits));
  await shown.view.locator('h1', { hasText: '2 writes, all or none' }).waitFor();
  await shown.view.locator('section .chip', { hasText: 'not sent' }).waitFor();
  expect(await shown.view.locator('section .head h2').allTextContents()).toEqual([
    `1. set-point · ${HOSTILE}`,
    `2. set-point · ${HOSTILE}`,
  ]);
  await shoot(shown, 'proposal-several');
  expectQuiet(shown);
  await shown.close();
});

const ground = ({ view }: ShownView): Promise<unknown> =>
  view.evaluate('getComputedStyle(document.documentElement).backgroundColor');

/** For the eyes of a person, where `SVC_SCREENSHOTS` names a folder. */
async function shoot({ page }: ShownView, name: string): Promise<void> {
  const folder = process.env['SVC_SCREENSHOTS'];
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';

import { beforeAll, describe, expect, it } from 'vitest';

import { keepProposing } from '../../src/cli/demo/proposal.ts';
import { makeDemo } from '../../src/cli/demo/story.ts';
import { consoles } from '../support/console/consoles.ts';
import { started, startedWorld } from '../support/world/prepared.ts';

/** Set: the pictures of the documents are made anew. */
const isMaking = process.env['UPDATE_PICTURES'] === '1';
const PICTURE = 'docs/picture/review.png';
const MAX_BYTES = 150_000;
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
const SOON = { timeout: 60_000 };

const world = startedWorld({
  environment: { SVC_DEMO: 'on', SVC_DRIVER_READ_CRON: '0/30 * * * * ?' },
});
beforeAll(() => makeDemo(world.app));
started(() => keepProposing(world.app, world.admin.tenantId));
const { at } = consoles(world);

describe('the picture in the README', () => {
  it('shows what a new person finds: the proposal of the demo, from the overview in one press', async () => {
    const console = await at('/', {}, { width: 1100, height: 760 });
    const { page } = console;
    await page
      .getByRole('link', { name: /set-point/ })
      .first()
      .click(SOON);
    await page.getByRole('heading', { name: 'Proposal', level: 1 }).waitFor();
    await page.getByText('demo-agent').first().waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Confirm' }).waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    expect(console.wrong).toEqual([]);
    if (isMaking) {
      mkdirSync('docs/picture', { recursive: true });
      writeFileSync(PICTURE, await page.screenshot());
    }
    await console.close();
    expect(existsSync(PICTURE)).toBe(true);
    expect(readFileSync(PICTURE).subarray(0, 4)).toEqual(PNG);
    expect(statSync(PICTURE).size).toBeLessThanOrEqual(MAX_BYTES);
    expect(readFileSync('README.md', 'utf8')).toContain(`](${PICTURE})`);
  });
});

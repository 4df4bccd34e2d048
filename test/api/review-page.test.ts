import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { propose } from '../../src/agentic/action/action.ts';
import { actionsIn } from '../support/people/actions.ts';
import { Browser, type Page } from '../support/people/browser.ts';
import { admin } from '../support/people/oauth-client.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { agentIn } from '../tools/agent.ts';

const REVIEW = '/console/review';
const HOSTILE = '<b>cold</b><script>alert(1)</script>';

let world: World;
let actions: ReturnType<typeof actionsIn>;
beforeAll(async () => {
  world = await startWorld();
  actions = actionsIn(world, world.admin);
});
afterAll(() => world.stop());

const proposed = async (reason = '') => actions.proposeIn(await actions.site(), '21', { reason });

async function opened(actionId: string): Promise<{ browser: Browser; page: Page }> {
  const browser = new Browser(world.base);
  const login = await browser.get(`${REVIEW}/${actionId}`);
  return { browser, page: await browser.submit(login, /login/, admin) };
}

describe('the review page of a proposal', () => {
  it('leads to the login page and back, and shows the card with every text escaped', async () => {
    const { actionId, digest } = await proposed(HOSTILE);
    const browser = new Browser(world.base);
    const login = await browser.get(`${REVIEW}/${actionId}`);
    expect(login.text).toContain('name="password"');
    expect(login.text).not.toContain(digest);
    const wrong = await browser.submit(login, /login/, { ...admin, password: 'wrong' });
    expect(wrong.status).toBe(401);
    expect(wrong.text).not.toContain(digest);
    const page = await browser.submit(wrong, /login/, admin);
    expect(page).toMatchObject({
      status: 200,
      url: `${world.base}${REVIEW}/${actionId}`,
      forms: [],
    });
    expect(page.text).toContain(digest);
    expect(page.text).toContain('21 °C');
    expect(page.text).toContain('Nothing is decided here');
    expect(page.text).toContain('&#60;b&#62;cold');
    expect(page.text).not.toMatch(/<script|<b>/);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    expect(page.headers.get('content-security-policy')).not.toContain('script-src');
    expect(browser.seen.join()).toMatch(/svc_session=\S+; path=\/; samesite=lax; httponly/i);
  });

  it('is loaded again every five seconds while something can change, and says what became of it', async () => {
    const { actionId } = await proposed();
    const { browser, page } = await opened(actionId);
    expect(page.text).toContain('<meta http-equiv="refresh" content="5" />');
    await actions.decide('reject', actionId, { reason: 'Too warm' });
    const after = await browser.get(`${REVIEW}/${actionId}`);
    expect(after.text).toContain('Rejected');
    expect(after.text).toContain('Too warm');
    expect(after.text).not.toContain('http-equiv="refresh"');
  });

  it('shows every one of several writes, and what became of each', async () => {
    const { site, decide } = actions;
    const [boiler, pump] = [await site(), await site()];
    const writes = [boiler, pump].map(({ deviceId, pointId }, at) => {
      return { deviceId, pointId, value: String(21 + at) };
    });
    const { actionId } = await propose(world.app, agentIn(world.admin), { writes });
    const { browser, page } = await opened(actionId);
    expect(page.text).toMatch(/<dt>1\. Proposed<\/dt>\s*<dd>21 °C<\/dd>/);
    expect(page.text).toMatch(/<dt>2\. Proposed<\/dt>\s*<dd>22 °C<\/dd>/);
    expect(page.text).toContain('WAITING');
    await decide('reject', actionId);
    const after = await browser.get(`${REVIEW}/${actionId}`);
    expect(after.text.match(/NOT_SENT/g)).toHaveLength(2);
  });

  it('is 404 alike for a foreign, a missing and no id', async () => {
    const other = await world.tenant('other');
    const theirs = actionsIn(world, other);
    const foreign = await theirs.proposeIn(await theirs.site());
    const { browser } = await opened((await proposed()).actionId);
    const missing = '00000000-0000-4000-8000-000000000000';
    const pages = await Promise.all(
      [foreign.actionId, missing, 'x'].map((id) => browser.get(`${REVIEW}/${id}`)),
    );
    expect(pages.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
  });

  it('takes a login of its own form only, and leads nowhere else', async () => {
    const { actionId } = await proposed();
    const to = `${REVIEW}/${actionId}`;
    const browser = new Browser(world.base);
    expect((await browser.post('/oauth2/login', { to, ...admin })).status).toBe(403);
    const login = await browser.get(to);
    const site = { 'sec-fetch-site': 'cross-site' };
    const fields = { ...login.forms[0]?.fields, ...admin };
    expect((await browser.post('/oauth2/login', fields, site)).status).toBe(403);
    expect((await new Browser(world.base).post('/oauth2/login', fields)).status).toBe(403);
    const away = await browser.submit(login, /login/, { ...admin, to: 'https://evil.test/' });
    expect(away.status).toBe(403);
    expect((await browser.get('/oauth2/login?to=https://evil.test/')).status).toBe(404);
  });

  it('ends with the logout of the person', async () => {
    const { actionId } = await proposed();
    const { browser } = await opened(actionId);
    await world.admin.post('/api/v3/auth/token/cancel', {});
    expect((await browser.get(`${REVIEW}/${actionId}`)).text).toContain('name="password"');
  });
});

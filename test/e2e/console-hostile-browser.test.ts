import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { propose } from '../../src/agentic/propose/action.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import { populate } from '../support/cases/populate.ts';
import { consoles } from '../support/console/consoles.ts';
import { type Console, logIn } from '../support/console/open-console.ts';
import { CALLED, ELEMENT, scripts } from '../support/console/scripts.ts';
import { placesIn, plantAt } from '../support/hostile/planted-text.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn } from '../tools/agent.ts';

/** Of the platform itself, or needed for the login. */
const OURS = /^svc_(?:api|menu|resource|mcp_tool|identity_provider|external|local|tenant$)/;
/** Scripts in one text, so that each is seen on every page in a few minutes. */
const AT_ONCE = 100;
/** What begins each of the texts, as far as a sentence that quotes it may have cut it. */
const PLANTED = /svc-?planted|<\/title>|<\/select>|u003c/i;
/** Pages without a text of others, or with texts of the platform alone. */
const FIXED: readonly string[] = ['/agents/connect', '/settings', '/settings/tenants'];
const PAGES = readFileSync('src/console/app/part/pages.ts', 'utf8');
const SHOWN = 30_000;

const world = startedWorld({ environment: { SVC_DEMO: 'on' } });
const { open } = consoles(world);
const mine = prepared(() => world.tenant('hostile'));
const own = prepared(() => populate(world, mine));

/** A proposal with a reason, whose card quotes the names as they are now. */
async function proposed(value: number, reason: string): Promise<string> {
  const write = { deviceId: own.device, pointId: own.point, value: String(value), reason };
  return (await propose(world.app, agentIn(mine), write)).actionId;
}

/** Every page of the console but that of its parts, which shows nothing stored, and with what it is about. */
function addresses(actionId: string): string[] {
  const about: Record<string, string> = {
    '/devices/:id': `/devices/${own.device}`,
    '/devices/:id/edit': `/devices/${own.device}/edit`,
    '/devices/:id/trace': `/devices/${own.device}/trace`,
    '/profiles/:id': `/profiles/${own.profile}`,
    '/manuals/:id': `/manuals/${own.manual}`,
    '/alarms/:id': `/alarms/${own.alarm}`,
    '/rules/:id': `/rules/${own.rule}`,
    '/agents/connection/:id': `/agents/connection/${own.connection}`,
    '/review/:id': `/review/${actionId}`,
    '/chat/:id': `/chat/${own.conversation}`,
    '/settings/roles/:id': `/settings/roles/${own.role}`,
    '/settings/people/:id': `/settings/people/${own.user}`,
    '/settings/usage': '/settings/usage?by=person',
  };
  return [...PAGES.matchAll(/pattern: '((?!\/kit')[^']+)'/g)].map(([, pattern = '']) => {
    const address = about[pattern] ?? (pattern.includes(':') ? undefined : pattern);
    if (address === undefined) throw new Error(`${pattern}: say which one this test opens`);
    return address;
  });
}

/** People are of all their tenants, so their names are in no place of one. */
const namePerson = (name: string): Promise<unknown> =>
  acrossTenants(world.app.db, 'seed', (q) =>
    q
      .updateTable('svc_user')
      .set({ nickName: name, email: name })
      .where('id', '=', own.user)
      .execute(),
  );

/** What of the planted texts the page took for more than a text. */
const taken = ({ page }: Console): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll('*')].filter((element) =>
    element.localName === '${ELEMENT}' || ['iframe', 'object', 'embed', 'base', 'marquee'].includes(element.localName) ||
    element.getAttributeNames().some((name) => name.startsWith('on') || /^\\s*javascript:/i.test(element.getAttribute(name) ?? ''))
  ).map((element) => element.outerHTML)`);

describe('texts of tenants, devices, models and agents', () => {
  it('are texts on every page, whatever is in them', { timeout: 600_000 }, async () => {
    expect(scripts.length).toBe(200);
    const console = await open();
    const { page, wrong, outside } = console;
    await page.exposeFunction(CALLED, (number: number) => wrong.push(`script ${number} ran`));
    await logIn(console, 'hostile');
    const places = await placesIn(world, OURS);
    for (let first = 0; first < scripts.length; first += AT_ONCE) {
      const texts = scripts.slice(first, first + AT_ONCE);
      const planted = [];
      for (const place of places)
        planted.push(await plantAt(world, mine.tenantId, place, texts.join(' ')));
      await namePerson(texts.join(' '));
      const actionId = await proposed(first, texts.join(' ').slice(0, 500));
      for (const address of addresses(actionId)) {
        await console.go(address);
        await page.locator('main h1').waitFor({ timeout: SHOWN });
        await page.locator('.skeleton').first().waitFor({ state: 'detached', timeout: SHOWN });
        if (!FIXED.includes(address))
          await page.getByText(PLANTED).first().waitFor({ state: 'attached', timeout: SHOWN });
        expect(await taken(console), address).toEqual([]);
        expect({ address, wrong, outside }).toEqual({ address, wrong: [], outside: [] });
      }
      for (const { restore } of planted) await restore();
    }
  });
});

import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { noteSentences } from '../../src/agentic/action/card/notes.ts';
import { markdownOf } from '../../src/agentic/action/card/words/markdown.ts';
import { bundle } from '../../src/console/bundle.ts';
import { viewPage } from '../../src/console/view-page.ts';
import { byName } from '../../src/kernel/sentence/voice.ts';
import { startBrowser } from '../support/console/chromium.ts';
import * as answers from '../support/view/answers.ts';
import { startViewHost } from '../support/view/view-host.ts';
import { prepared, started } from '../support/world/prepared.ts';

const NAME = 'boiler 2';
const CARD = fileURLToPath(new URL('../support/view/page/card.tsx', import.meta.url));
/** The text of a page with its times as Markdown has them. */
const TEXT = `(() => {
  for (const time of document.querySelectorAll('time'))
    time.textContent = time.dateTime.replace(/\\.\\d+Z$/, 'Z');
  return document.body.textContent;
})()`;

let script: string;
const browser = started(startBrowser);
const host = prepared(() => startViewHost(browser));
beforeAll(async () => {
  script = (await bundle([CARD])).get('card.js')?.text ?? '';
});
afterAll(async () => {
  host?.stop();
});

const plain = (text: unknown): string =>
  String(text)
    .replaceAll(/["“”\\]/g, '')
    .replaceAll(/\s+/g, ' ');
/** A page shows as much of an id as tells it apart. */
const short = (text: string): string => text.replaceAll(/\b([0-9a-f]{8})-[0-9a-f-]{20,}/g, '$1');

async function inConsole(action: ReturnType<typeof answers.actionOf>): Promise<string> {
  const page = await browser.newPage();
  const html = '<!doctype html><html data-session="none"><body></body></html>';
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: html }));
  await page.goto('http://console.test/');
  await page.addScriptTag({ content: script });
  await page.evaluate(`svcCard(${JSON.stringify(action)})`);
  const text = await page.evaluate(TEXT);
  await page.close();
  return plain(text);
}

async function inView(action: ReturnType<typeof answers.actionOf>): Promise<string> {
  const shown = await host.show(await viewPage('proposal'), {});
  await shown.answer(answers.told(answers.proposalOf(NAME), action));
  await shown.view.locator('.review').waitFor();
  const text = await shown.view.evaluate(TEXT);
  await shown.close();
  return plain(text);
}

describe.each([
  ['one write', answers.actionOf(NAME)],
  ['several writes', answers.actionsOf(NAME)],
])('a card of %s', (_what, action) => {
  it('has a note of every code', () => {
    const codes = new Set(action.notes.map(({ code }) => code));
    expect([...codes].toSorted()).toEqual([
      'CHANGED',
      'OTHER_WRITE',
      'REJECTED_BEFORE',
      'SAME_VALUE',
      'TAINTED',
    ]);
  });

  it('says the same in the console, in a view and in Markdown', async () => {
    const block = plain(markdownOf(action, { base: 'https://p.test', at: action.createTime }));
    const [drawn, viewed] = await Promise.all([inConsole(action), inView(action)]);
    const sentences = noteSentences(action, byName);
    expect(sentences.length).toBe(action.notes.length);
    for (const sentence of sentences) {
      expect(block).toContain(plain(sentence));
      expect(drawn).toContain(short(plain(sentence)));
      expect(viewed).toContain(short(plain(sentence)));
    }
  });
});

import { describe, expect, it } from 'vitest';

import { contentTypeOf } from '../../src/agentic/document/file-kind.ts';
import { READERS } from '../../src/agentic/document/read.ts';
import { visibleName, visibleText } from '../../src/agentic/document/visible-text.ts';
import { TestClock } from '../support/world/clock.ts';

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const DOCX = `${OFFICE}.wordprocessingml.document`;
const XLSX = `${OFFICE}.spreadsheetml.sheet`;

describe('the kind of a file', () => {
  it.each([
    ['image/png', '\x89PNG\r\n\x1a\nrest', 'a.exe'],
    ['image/jpeg', '\xff\xd8\xff\xe0', 'a.txt'],
    ['image/gif', 'GIF89a', 'a'],
    ['image/webp', 'RIFF\x10\x00\x00\x00WEBPVP8 ', 'a'],
    ['application/pdf', '%PDF-1.7\n', 'a.png'],
    ['text/plain', 'hello', 'a.png'],
    ['text/plain', '<script>alert(1)</script>', 'a.html'],
    ['text/csv', 'a,b\n1,2', 'T.CSV'],
    ['application/json', '{"a":1}', 'a.json'],
    ['text/markdown', '# Title', 'README.md'],
    [null, 'MZ\x90\x00\x03', 'a.png'],
    [null, '\x7fELF\x02\x01', 'a.txt'],
    [null, 'PK\x03\x04', 'a.docx'],
    [DOCX, 'PK\x03\x04 word/document.xml', 'a'],
    [XLSX, 'PK\x03\x04 xl/workbook.xml', 'a.docx'],
    ['text/plain', 'half \xc3\x28 broken', 'a.txt'],
    [null, 'nul\0inside', 'a.txt'],
    [null, 'RIFF\x10\x00\x00\x00WAVEfmt ', 'a.webp'],
  ])('%s is what begins with %j, called %s', (type, begin, name) => {
    expect(contentTypeOf(Buffer.from(begin, 'latin1'), name)).toBe(type);
  });
});

describe('a file name', () => {
  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\temp\\plan.txt', 'plan.txt'],
    ['gpj.\u202Etxt.exe', 'gpj.txt.exe'],
    ['a\r\nb\0c.txt', 'a bc.txt'],
    ['..', 'attachment'],
    ['', 'attachment'],
    ['  .hidden ', 'hidden'],
    ['Ölstand 2.csv', 'Ölstand 2.csv'],
    ['x'.repeat(500), 'x'.repeat(128)],
  ])('%j becomes %j', (given, shown) => {
    expect(visibleName(given)).toBe(shown);
  });
});

it('shown text keeps its lines and loses what cannot be seen', () => {
  expect(visibleText('a\r\nb\tc\u200B\u202E\x1b[31md', 100)).toBe('a\nb\tc[31md');
  expect(visibleText('abc', 2)).toBe('ab');
});

describe('the processes that read PDFs', () => {
  function opened() {
    const clock = new TestClock();
    const line = READERS({ clock, engine: 'postgres' });
    const leave: (() => void)[] = [];
    const enter = (waitMs: number): Promise<boolean> =>
      new Promise((enters) => {
        const work = (): Promise<void> =>
          new Promise((leaves) => {
            leave.push(leaves);
            enters(true);
          });
        line(work, { waitMs }).catch(() => enters(false));
      });
    return { clock, enter, leave };
  }

  it('are two at a time; a third waits for a place, and not longer than its turn', async () => {
    const { clock, enter, leave } = opened();
    expect([await enter(0), await enter(0)]).toEqual([true, true]);
    expect(await enter(0)).toBe(false);
    const late = enter(1_000);
    const patient = enter(5_000);
    await clock.advance(1_000);
    expect(await late).toBe(false);
    leave[0]?.();
    expect(await patient).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('have sixteen that wait, and no more', async () => {
    const { enter, leave } = opened();
    const inside = [await enter(0), await enter(0)];
    const waiting = Array.from({ length: 16 }, () => enter(1_000));
    expect(await enter(1_000)).toBe(false);
    for (const [at] of waiting.entries()) {
      leave[at]?.();
      expect(await waiting[at]).toBe(true);
    }
    expect(inside).toEqual([true, true]);
  });
});

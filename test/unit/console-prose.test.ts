import { describe, expect, it } from 'vitest';

import { blocksOf, cellsOf, piecesOf } from '../../src/console/app/part/prose.ts';

const ORIGIN = 'http://plant.example:8000';
const TAG = '<img src=x onerror=alert(1)>';

describe('a text of a model', () => {
  it('is paragraphs, headings, lists and code, and nothing else', () => {
    const text = `# One\nA\nB\n\nC\n- x\n* y\n1. m\n2) n\n\`\`\`sql\n- ${TAG}\n\n\`\`\`\n${TAG}`;
    expect(blocksOf(text)).toEqual([
      { is: 'heading', lines: ['One'] },
      { is: 'paragraph', lines: ['A', 'B'] },
      { is: 'paragraph', lines: ['C'] },
      { is: 'bullets', lines: ['x', 'y'] },
      { is: 'numbers', lines: ['m', 'n'] },
      { is: 'code', lines: [`- ${TAG}`, ''] },
      { is: 'paragraph', lines: [TAG] },
    ]);
    expect(blocksOf('')).toEqual([]);
    expect(blocksOf('```\nnot ended')).toEqual([{ is: 'code', lines: ['not ended'] }]);
  });

  it('has quotes, and tables where a line below names its columns', () => {
    const text = `> At 12:00: *done*.\n> Yes.\n\n| Device | °C |\n|:--|--:|\n| dev-1 | 21 \\| 22 |\n| ${TAG} |\n\na | b`;
    const blocks = blocksOf(text);
    expect(blocks).toEqual([
      { is: 'quote', lines: ['At 12:00: *done*.', 'Yes.'] },
      { is: 'table', lines: ['| Device | °C |', '| dev-1 | 21 \\| 22 |', `| ${TAG} |`] },
      { is: 'paragraph', lines: ['a | b'] },
    ]);
    expect(blocks[1]?.lines.map(cellsOf)).toEqual([['Device', '°C'], ['dev-1', '21 | 22'], [TAG]]);
    expect(blocksOf('a | b\nc')).toEqual([{ is: 'paragraph', lines: ['a | b', 'c'] }]);
  });

  it('has bold and code in its lines, and markup as it was written', () => {
    expect(piecesOf(`${TAG} **b** and \`**c**\``, ORIGIN)).toEqual([
      { is: 'text', text: `${TAG} ` },
      { is: 'strong', text: 'b' },
      { is: 'text', text: ' and ' },
      { is: 'code', text: '**c**' },
    ]);
  });

  it('links to pages of the console alone; any other address is shown as a text', () => {
    const link = (address: string) => piecesOf(`[a](${address})`, ORIGIN)[0];
    expect(link('/console/devices?page=2')).toEqual({
      is: 'link',
      text: 'a',
      to: '/devices?page=2',
    });
    expect(link(`${ORIGIN}/console`)).toEqual({ is: 'link', text: 'a', to: '/' });
    for (const address of [
      'https://evil.example/console/devices',
      '//evil.example/console',
      'javascript:alert',
      'data:text/html,x',
      `${ORIGIN}/api/v3/auth/session/end`,
      '/consolex',
      '/console/../swagger',
      'http://[',
    ])
      expect(link(address), address).toEqual({ is: 'text', text: `a (${address})` });
  });

  it('takes no longer for what is made to be slow', () => {
    for (const part of ['[', '`', '**', '[a](', '**a', '|', '|-', '>']) {
      const startedAt = performance.now();
      piecesOf(part.repeat(50_000), ORIGIN);
      blocksOf(`${part.repeat(100)}\n`.repeat(500));
      expect(performance.now() - startedAt, part).toBeLessThan(5_000);
    }
  });
});

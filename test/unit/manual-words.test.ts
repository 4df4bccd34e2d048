import { describe, expect, it } from 'vitest';

import { askedWords, vectorOf, wordsOf } from '../../src/agentic/manual/words.ts';

describe('the words', () => {
  it.each([
    ['Alarm E17', ['alarm', 'e17']],
    ['E-17', ['e', '17', 'e17']],
    ['E 17', ['e', '17', 'e17']],
    ['Überdruck-Ventil', ['ueberdruck', 'ventil', 'ueberdruckventil']],
    ['Straße', ['strasse']],
    ['café', ['cafe']],
    ['3,5 bar', ['3.5', 'bar']],
    ['AX-200/2', ['ax', '200', '2', 'ax2002']],
    ['阀门故障', ['阀门', '门故', '故障', '障']],
    ['报警E17', ['报警', '警', 'e17']],
    ['клапан', ['клапан']],
    ["'); drop table --", ['drop', 'table']],
    ['', []],
  ])('of %j are %j', (text, words) => {
    expect(wordsOf(text).map(({ word }) => word)).toEqual(words);
  });

  it('of a question are beginnings where they have no digit, once each', () => {
    expect(askedWords('Valves, valves and E17 阀')).toEqual([
      { word: 'valv', isStart: true },
      { word: 'and', isStart: false },
      { word: 'e17', isStart: false },
      { word: '阀', isStart: true },
    ]);
  });

  it.each(['E17', 'E 17', 'e-17'])('of the code %s are the code alone', (code) => {
    expect(askedWords(code)).toEqual([{ word: 'e17', isStart: false }]);
  });

  it('of a page are bounded, whatever it says', () => {
    const many = Array.from({ length: 50_000 }, (_, at) => `word${at}`).join(' ');
    const long = 'abcdefghij'.repeat(10_000);
    for (const text of [many, long, `${'x'.repeat(39)} `.repeat(2_500), "'\\:*&|!<>()"])
      expect(vectorOf('title', text).length).toBeLessThan(700_000);
  });
});

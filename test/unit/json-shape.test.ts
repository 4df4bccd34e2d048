import { describe, expect, it } from 'vitest';

import {
  JsonShape,
  MAX_DEPTH,
  MAX_ELEMENTS,
  MAX_MEMBERS,
} from '../../src/kernel/request/json-shape.ts';

const follow = (text: string, piece: number): string => {
  const shape = new JsonShape();
  const bytes = Buffer.from(text);
  try {
    for (let at = 0; at < bytes.length; at += piece) shape.take(bytes.subarray(at, at + piece));
    return 'taken';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
};

const object = (members: number): string => `{${'"a":[0,1],'.repeat(members - 1)}"b":0}`;
const LONG = 'x'.repeat(500);
const TEXTS: [what: string, text: string, outcome: RegExp][] = [
  ['the deepest', '['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH), /^taken$/],
  ['one deeper', '['.repeat(MAX_DEPTH + 1), /deeper than 64/],
  ['the widest', `[${'0,'.repeat(MAX_ELEMENTS - 1)}0]`, /^taken$/],
  ['one wider', `[${'0,'.repeat(MAX_ELEMENTS)}0]`, /more than 20000 elements/],
  ['many empty objects', `[${'{},'.repeat(MAX_ELEMENTS)}{}]`, /more than 20000 elements/],
  ['an object of many members', `[${object(MAX_MEMBERS)},${object(MAX_MEMBERS)}]`, /^taken$/],
  ['one member more', `[[],${object(MAX_MEMBERS + 1)}]`, /more than 1000 members/],
  ['brackets within a string', JSON.stringify('[{,'.repeat(MAX_ELEMENTS)), /^taken$/],
  ['the same behind quotes', JSON.stringify(`"\\"${'[,'.repeat(MAX_ELEMENTS)}\\`), /^taken$/],
  ['a long string, then too deep', `["${LONG}","${LONG}\\"",${'['.repeat(MAX_DEPTH)}`, /deeper/],
  ['a backslash at the end', `["${LONG}\\\\",${'['.repeat(MAX_DEPTH)}`, /deeper/],
];

describe('the shape of JSON while it arrives', () => {
  it.each(TEXTS)('counts %s, however it is cut', (_what, text, outcome) => {
    for (const piece of [1, 7, 64, 65, 1_000, 65_536]) expect(follow(text, piece)).toMatch(outcome);
  });
});

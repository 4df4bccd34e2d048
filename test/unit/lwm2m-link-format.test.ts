import { describe, expect, it } from 'vitest';

import { parsePath } from '../../driver/lwm2m/path.ts';
import { parseLinks } from '../../driver/lwm2m/registration/link-format.ts';

describe('link format', () => {
  it('gives targets and attributes, quotes removed', () => {
    expect(parseLinks('</>;rt="oma.lwm2m";ct="110 11542",</1/0>,</3303/0>;ver=1.1;obs')).toEqual([
      { target: '/', attributes: { rt: 'oma.lwm2m', ct: '110 11542' } },
      { target: '/1/0', attributes: {} },
      { target: '/3303/0', attributes: { ver: '1.1', obs: '' } },
    ]);
  });

  it('takes a link that is listed twice once, spaces after commas, and nothing at all', () => {
    expect(parseLinks('</3/0>, </3303/0>,</3303/0>')?.map(({ target }) => target)).toEqual([
      '/3/0',
      '/3303/0',
    ]);
    expect(parseLinks('')).toEqual([]);
  });

  it('takes quoted pairs, and blanks and line ends around what separates', () => {
    const text = '</>;rt="oma.lwm2m" ; title = "a \\"b\\" \\\\" ,\r\n </1/0>\n,\t</3/0> \n';
    expect(parseLinks(text)).toEqual([
      { target: '/', attributes: { rt: 'oma.lwm2m', title: 'a "b" \\' } },
      { target: '/1/0', attributes: {} },
      { target: '/3/0', attributes: {} },
    ]);
    expect(parseLinks(`</3/0>;a="${' \\"'.repeat(10_000)}`)).toBeNull();
    expect(parseLinks(`</3/0>;a${' '.repeat(60_000)}x`)).toHaveLength(1);
  });

  it('takes commas and semicolons inside quotes for what they are', () => {
    expect(parseLinks('</3/0>;title="a,b;c>",</4/0>')).toHaveLength(2);
  });

  it.each(['rubbish', '</3/0', '</3/0>;', '</3/0>x', '</3/0>;a="b', '<<>>', '</3/0>;;'])(
    'refuses %s',
    (text) => {
      expect(parseLinks(text)).toBeNull();
    },
  );

  it('refuses more links than a device has, quickly', () => {
    expect(parseLinks(Array.from({ length: 3000 }, (_, i) => `</${i}/0>`).join(','))).toBeNull();
    expect(parseLinks(`</3/0>${';a'.repeat(20_000)}"`)).toBeNull();
  });
});

describe('a path', () => {
  it.each([
    ['/3303/0/5700', [3303, 0, 5700]],
    ['3/0', [3, 0]],
    ['/', []],
    ['/65534/0/1/2', [65_534, 0, 1, 2]],
  ])('%s is %j', (text, ids) => {
    expect(parsePath(text)).toEqual(ids);
  });

  it.each(['/65535/0/1', '/a/0/1', '/-1', '/1/2/3/4/5', '/1.5'])('%s is none', (text) => {
    expect(parsePath(text)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';

import { type Link, parseLinks } from '../../driver/lwm2m/codec/link-format.ts';
import { parsePath } from '../../driver/lwm2m/codec/path.ts';
import { createRandom, type Random, seedFor } from '../support/hostile/random.ts';

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

  it.each(['rubbish', '</3/0', '</3/0>x', '</3/0>;a="b', '<<>>', '</3/0>;=1', '</3/0>;"a"'])(
    'refuses %s',
    (text) => {
      expect(parseLinks(text)).toBeNull();
    },
  );

  it.each(['</1/0>;,</3/0>;', '</1/0>;;,</3/0>', '</1/0> ; , </3/0>;;'])(
    'takes %s, with semicolons and nothing behind them',
    (text) => {
      const attributes = {};
      expect(parseLinks(text)).toEqual([
        { target: '/1/0', attributes },
        { target: '/3/0', attributes },
      ]);
    },
  );

  it('refuses more links than a device has, quickly', () => {
    expect(parseLinks(Array.from({ length: 3000 }, (_, i) => `</${i}/0>`).join(','))).toBeNull();
    expect(parseLinks(`</3/0>${';a'.repeat(20_000)}"`)).toBeNull();
  });
});

const NAMES = ['rt', 'ct', 'ver', 'obs', 'title', '__proto__'];
const CHARACTERS = ['a', '0', '.', ' ', ',', ';', '<', '>', '=', '"', '\\', 'é'];

function linksOf(random: Random): Link[] {
  return Array.from({ length: random.upTo(8) }, (_, i) => {
    const attributes: Link['attributes'] = Object.create(null);
    for (const name of NAMES)
      if (random.chance(0.3)) {
        const letters = Array.from({ length: random.upTo(6) }, () => random.pick(CHARACTERS));
        attributes[name] = letters.join('').trim();
      }
    return { target: `/${i}/${random.upTo(65_535)}`, attributes };
  });
}

/** The links as text, each value in quotes and blanks where they are allowed. */
function written(links: readonly Link[], random: Random): string {
  const blank = () => random.pick(['', ' ', '\t', '\r\n']);
  return links
    .map(({ target, attributes }) => {
      const pairs = Object.entries(attributes).map(([name, value]) => {
        const quoted = `"${value.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`;
        return `${blank()};${blank()}${name}=${blank()}${quoted}`;
      });
      return `${blank()}<${target}>${pairs.join('')}${blank()}`;
    })
    .join(',');
}

describe('links of another writer', () => {
  it('are read as they were meant', () => {
    const random = createRandom(seedFor('links'));
    for (let round = 0; round < 1_000; round += 1) {
      const links = linksOf(random);
      expect(parseLinks(written(links, random))).toEqual(links);
    }
  });

  it('are read or refused when they are changed, whatever was changed', () => {
    const random = createRandom(seedFor('changed links'));
    const faults: string[] = [];
    for (let round = 0; round < 5_000; round += 1) {
      const letters = Array.from(written(linksOf(random), random));
      for (let changes = 1 + random.upTo(3); changes > 0; changes -= 1)
        letters[random.upTo(letters.length + 1)] = random.pick([...CHARACTERS, '', '\u0000']);
      const text = letters.slice(0, random.chance(0.2) ? random.upTo(letters.length) : undefined);
      try {
        const links = parseLinks(text.join(''));
        const targets = new Set(links?.map(({ target }) => target));
        if (links && targets.size !== links.length) faults.push(text.join(''));
      } catch {
        faults.push(text.join(''));
      }
    }
    expect(faults).toEqual([]);
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

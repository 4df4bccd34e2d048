import { describe, expect, it } from 'vitest';

import { parseLinks } from '../../driver/lwm2m/codec/link-format.ts';
import { contentOfLinks } from '../../driver/lwm2m/registration/registered-objects.ts';

const said = (text: string) => contentOfLinks(parseLinks(text));

describe('the links of a registration', () => {
  it('are the paths of objects, instances and resources', () => {
    expect(said('</>;rt="oma.lwm2m";ct="110 11542",</1/0>,</3>,</3303/0/5700>')).toEqual({
      root: [],
      contentFormats: [110, 11_542],
      objects: ['1/0', '3', '3303/0/5700'],
      leftOut: 0,
    });
  });

  it('are below the root path, if there is one', () => {
    expect(said('</lwm2m>;rt="oma.lwm2m",</lwm2m/3/0>,</3303/0>').objects).toEqual(['3/0']);
  });

  it('are no objects where they lead elsewhere', () => {
    expect(said('</sensors/temp>,</3/x>,</99999/0>,</3/0/1/2>,</>').objects).toEqual([]);
    expect(contentOfLinks(null).objects).toEqual([]);
  });

  it('are 256 at most, the rest is counted', () => {
    const links = Array.from({ length: 300 }, (_, n) => `</3303/${n}>`).join(',');
    const { objects, leftOut } = said(links);
    expect([objects.length, leftOut]).toEqual([256, 44]);
  });
});

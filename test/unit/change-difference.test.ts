import { expect, it } from 'vitest';

import { differencesIn } from '../../src/data/change/line.ts';

it('compares fields that have names of what every object inherits', () => {
  const changes: unknown = JSON.parse(
    '{"device_ext":[{"a":1},{"a":1,"toString":"x","__proto__":{"isAdmin":true},"constructor":null}]}',
  );
  if (typeof changes !== 'object' || changes === null) throw new Error('an object');
  expect(differencesIn({ ...changes })).toEqual([
    { field: 'device_ext.toString', from: null, to: 'x' },
    { field: 'device_ext.__proto__', from: null, to: '{"isAdmin":true}' },
  ]);
});

it('names single values of a field that has members', () => {
  expect(
    differencesIn({ notify_ext: [{ content: { every: 1 } }, { content: { every: 2 } }] }),
  ).toEqual([{ field: 'every', from: '1', to: '2' }]);
  expect(differencesIn({ name: ['a', 'b'], same: [1, 1] })).toEqual([
    { field: 'name', from: 'a', to: 'b' },
  ]);
});

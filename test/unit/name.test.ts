import { expect, it } from 'vitest';

import { Name } from '../../src/core/input/text.ts';

it.each(['Ölkessel', '锅炉 2', 'naïve', 'a.b-c_d'])('takes %s as a name', (name) => {
  expect(Name.parse(name)).toBe(name);
});

it.each([
  ['a letter that shows nothing', 'pump\u3164'],
  ['nothing but such letters', '\u3164\u115f'],
  ['a joiner', 'pu\u034fmp'],
  ['a selector of a form', 'pump\ufe0f'],
  ['a direction mark', 'pump\u202e'],
])('refuses %s', (_, name) => {
  expect(Name.safeParse(name).success).toBe(false);
});

import { expect, it } from 'vitest';

import { Name } from '../../src/kernel/input/text.ts';

it('takes a name in any script', () => {
  for (const name of ['Ölkessel', '锅炉 2', 'naïve', 'насос', 'a.b-c_d'])
    expect(Name.parse(name)).toBe(name);
});

it('refuses letters and marks that show nothing, and direction marks', () => {
  for (const name of ['pump\u3164', '\u3164\u115f', 'pu\u034fmp', 'pump\ufe0f', 'pump\u202e'])
    expect(Name.safeParse(name).success, JSON.stringify(name)).toBe(false);
});

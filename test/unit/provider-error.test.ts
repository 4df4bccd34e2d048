import { expect, it } from 'vitest';

import { withoutKey } from '../../providers/request/upstream.ts';

const options = { apiKey: 'sk-steam-kettle-41', headers: { 'x-token': 'gateway-41', 'x-n': '41' } };

it('an error of a vendor loses the key and the headers, its causes too', () => {
  const cause = new Error('gateway-41 is wrong');
  const error = new Error('no sk-steam-kettle-41, 41 times', { cause });
  expect(withoutKey(error, options)).toBe(error);
  expect([error.message, cause.message]).toEqual(['no ***, 41 times', '*** is wrong']);
  expect(`${error.stack} ${cause.stack}`).not.toMatch(/sk-steam|gateway-41/);
});

it('an error whose message cannot be set stays as it is', () => {
  const cause = new DOMException('This operation was aborted', 'AbortError');
  const error = new Error('ended', { cause });
  expect(withoutKey(error, options)).toBe(error);
  expect(cause.message).toBe('This operation was aborted');
});

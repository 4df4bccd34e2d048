import { expect, it } from 'vitest';

import { copyOf } from '../../src/bus/copy.ts';

/** Changes everything in it. */
function change(value: unknown): void {
  if (value instanceof Date) value.setTime(0);
  else if (value instanceof Uint8Array) value.fill(9);
  else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) change(part);
    Object.assign(value, Array.isArray(value) ? { 0: 'other' } : { other: true });
  }
}

it('copies a message so that no change of the copy is one of the message', () => {
  const message = {
    text: 'a',
    none: null,
    list: [{ at: 1 }, [true]],
    bytes: new Uint8Array([1, 2]),
    at: new Date(5),
  };
  const before = structuredClone(message);
  const copy = copyOf(message);
  expect(copy).toEqual(message);
  change(copy);
  expect(copy).not.toEqual(message);
  expect(message).toEqual(before);
});

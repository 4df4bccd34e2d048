import { describe, expect, it } from 'vitest';

import { bytesOf, portions } from '../../driver/sdk/batches.ts';
import { MAX_BODY_BYTES } from '../../src/bus/bus.ts';

describe('the portions of a long report', () => {
  it('hold everything once, in order, and at most so many', () => {
    const items = Array.from({ length: 11 }, (_, n) => n);
    expect(portions(items, 5, () => 1)).toEqual([[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10]]);
    expect(portions([], 5, () => 1)).toEqual([]);
  });

  it('fit one message even when every character needs an escape', () => {
    const texts = Array.from({ length: 300 }, () => '\u0001'.repeat(4096));
    const parts = portions(texts, 5000, bytesOf);
    expect(parts.flat()).toHaveLength(300);
    for (const part of parts)
      expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThan(MAX_BODY_BYTES);
  });

  it('hand on alone what is too large, for the bus to refuse', () => {
    expect(portions([1, 2, 3], 10, (n) => (n === 2 ? MAX_BODY_BYTES : 1))).toEqual([[1], [2], [3]]);
  });
});

import { describe, expect, it } from 'vitest';

import { type Applied, checkApplied } from '../../src/db/migration/applied.ts';
import { type Migration, migrations } from '../../src/db/migration/migration.ts';

const file = (name: string, sha256 = name): Migration => ({
  name,
  text: '',
  sha256,
  compatible: false,
});
const applied = (name: string, sha256: string | null = name, compatible = false): Applied => ({
  name,
  sha256,
  compatible,
});
const ONE = '0001_one.sql';
const TWO = '0002_two.sql';

describe('the files of sql/', () => {
  it('have a number each, but for two that were applied before this rule', () => {
    const numbers = migrations().map(({ name }) => name.slice(0, 4));
    expect(numbers.length - new Set(numbers).size).toBe(1);
  });
});

describe('what was applied beside what the code has', () => {
  it('leaves what is to be applied, and what has no digest yet', () => {
    expect(checkApplied([applied(ONE, null)], [file(ONE), file(TWO)])).toEqual({
      pending: [file(TWO)],
      unsigned: [file(ONE)],
      newer: [],
    });
  });

  it('is refused where the code does not know it, unless older code can work with it', () => {
    expect(() => checkApplied([applied(ONE), applied(TWO)], [file(ONE)])).toThrow(
      `A newer version upgraded this database: ${TWO} is not known to this version.`,
    );
    expect(checkApplied([applied(ONE), applied(TWO, TWO, true)], [file(ONE)]).newer).toEqual([TWO]);
  });

  it('is refused where its file was edited', () => {
    expect(() => checkApplied([applied(ONE, 'another')], [file(ONE)])).toThrow(
      `The file of an applied migration was changed: ${ONE}.`,
    );
  });

  it('is refused where a file comes late', () => {
    expect(() => checkApplied([applied(TWO)], [file(ONE), file(TWO)])).toThrow(
      `This database is at 0002: ${ONE} is numbered before that`,
    );
  });
});

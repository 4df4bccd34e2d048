import { describe, expect, it } from 'vitest';

import {
  type Applied,
  checkApplied,
  type Migration,
  migrations,
} from '../../src/db/schema/applied.ts';

const file = (name: string, sha256 = name): Migration => ({
  name,
  text: '',
  sha256,
  compatible: false,
  baseline: false,
});
const applied = (name: string, sha256: string | null = name, compatible = false): Applied => ({
  name,
  sha256,
  compatible,
});
const ONE = '0301_one.sql';
const TWO = '0302_two.sql';
const BASELINE: Migration = { ...file('0250_area.sql'), baseline: true };

describe('the files of sql/', () => {
  it('have a number each, and those of the baseline come first', () => {
    const files = migrations();
    expect(new Set(files.map(({ name }) => name.slice(0, 4))).size).toBe(files.length);
    expect(files.findLastIndex(({ baseline }) => baseline)).toBe(
      files.filter(({ baseline }) => baseline).length - 1,
    );
  });
});

describe('what was applied beside what the code has', () => {
  it('leaves what is to be applied', () => {
    expect(checkApplied([], [BASELINE, file(ONE)]).pending).toEqual([BASELINE, file(ONE)]);
    expect(checkApplied([applied(BASELINE.name)], [BASELINE, file(ONE)])).toEqual({
      pending: [file(ONE)],
      takenOver: [],
      newer: [],
    });
  });

  it('is taken over where it was all before the baseline, and refused where it was less', () => {
    const last = applied(
      '0240_identity_notice.sql',
      '2d8c29dad244340fc961a0915ff4b24e9d6ac5a7c932853563d41fb11021090c',
    );
    const old = [applied('0001_identity.sql', null), applied('0010_outcome.sql'), last];
    const files = [BASELINE, file(ONE)];
    expect(checkApplied(old, files)).toEqual({
      pending: [file(ONE)],
      takenOver: [BASELINE],
      newer: [],
    });
    expect(checkApplied([...old, applied(BASELINE.name)], files).takenOver).toEqual([]);
    expect(() => checkApplied(old.slice(0, 2), files)).toThrow(
      `This database is at 0010_outcome.sql, and this version upgrades databases from ${last.name} on. Start version 0.2.0 on it once, then this version.`,
    );
    expect(() => checkApplied([{ ...last, sha256: 'another' }], files)).toThrow(
      `The file of an applied migration was changed: ${last.name}.`,
    );
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
      `This database is at 0302: ${ONE} is numbered before that`,
    );
  });
});

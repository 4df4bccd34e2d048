import { globSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

const ROW = /^\| `(R\d{3,4})` \| (\d{3}) \| [^|]{5,} \| [^|]{5,} \|$/;

describe('docs/errors.md', () => {
  const rows = readFileSync('docs/errors.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `R'));
  const source = globSync('src/**/*.ts', { exclude: ['src/console/**'] })
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');

  it('names every code that the platform answers with, and no other', () => {
    const answered = [...source.matchAll(/'(R[45]\d{2,3})'/g)].map(([, code = '']) => code);
    expect(answered.length).toBeGreaterThan(20);
    const named = rows.map((row) => ROW.exec(row)?.[1] ?? row);
    expect(named.toSorted()).toEqual([...new Set(answered)].toSorted());
  });

  it('gives each the status it has, what it says and what helps', () => {
    const statuses = new Map(
      [...source.matchAll(/\((\d{3}),\s*'(R\d{3,4})'/g)].map(([, status, code]) => [code, status]),
    );
    for (const row of rows) {
      const [, code, status] = ROW.exec(row) ?? [];
      expect(code, row).toBeDefined();
      const known = statuses.get(code);
      if (known !== undefined) expect(status, row).toBe(known);
    }
    expect(statuses.size).toBeGreaterThan(10);
  });
});

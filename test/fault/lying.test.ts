import { describe, expect, it } from 'vitest';

import { LyingBench } from '../support/lying/lying-bench.ts';
import { started } from '../support/world/prepared.ts';
import { seeded } from '../support/world/seeded.ts';

/** A sample of `npm run prove -- lying`: 16 devices with four writes each. */
describe('writes to devices that lie', () => {
  const random = seeded(5);
  const bench = started(() => LyingBench.open(16, random));

  it('end as what the devices hold, over DTLS and in clear, observed or not', async () => {
    const verdicts = await bench.writes(64, random);
    expect(verdicts.flatMap(({ wrong }) => wrong)).toEqual([]);
    expect(verdicts).toHaveLength(64);
    const honest = verdicts.filter(({ lie }) => lie === 'none');
    expect(honest.map(({ end }) => end)).toContain('VERIFIED');
    expect(verdicts.map(({ end }) => end)).toContain('UNKNOWN');
  }, 180_000);
});

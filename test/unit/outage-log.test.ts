import { describe, expect, it } from 'vitest';

import { Conflict, Unavailable } from '../../src/kernel/errors.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { createOutageLog } from '../../src/kernel/process/outage-log.ts';
import { TestClock } from '../support/world/clock.ts';

describe('the log of an outage', () => {
  const lines: string[] = [];
  const clock = new TestClock();
  const log = createOutageLog(
    createLog('warn', (line) => void lines.push(line)),
    clock,
  );
  const away = (what = 'The database does not answer now') => ({ error: new Unavailable(what) });

  it('has one line for all that misses the same part', async () => {
    for (let second = 0; second < 120; second += 1) {
      log.error(away(), 'a request failed');
      log.child({ driver: 'one' }).warn(away(), 'a bus message has to wait');
      await clock.advance(1_000);
    }
    expect(lines).toHaveLength(1);
  });

  it('tells of another part, and of every failure that is none of these', () => {
    lines.length = 0;
    log.error(away('The message bus is not there now'), 'a request failed');
    for (let n = 0; n < 3; n += 1) {
      log.error({ error: new Error('a defect') }, 'a request failed');
      log.error({ error: new Conflict('taken') }, 'a request failed');
    }
    expect(lines).toHaveLength(7);
  });

  it('tells of the next outage', async () => {
    lines.length = 0;
    await clock.advance(31_000);
    log.error(away(), 'a request failed');
    expect(lines).toHaveLength(1);
  });
});

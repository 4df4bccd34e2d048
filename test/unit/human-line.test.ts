import { describe, expect, it } from 'vitest';

import { humanLine } from '../../src/kernel/process/human-line.ts';
import { createLog } from '../../src/kernel/process/log.ts';

describe('a log line on a terminal', () => {
  const lines: string[] = [];
  const log = createLog('debug', (line) => void lines.push(humanLine(line)));
  const line = () => lines.at(-1);

  it('is a sentence with its facts, behind time and level', () => {
    log.info({ driverCode: 'VirtualDriver', devices: 2, remark: '' }, 'a driver registered');
    expect(line()).toMatch(
      /^\d\d:\d\d:\d\d info {2}a driver registered driverCode=VirtualDriver devices=2\n$/,
    );
  });

  it('says why something failed, without a stack and on one line', () => {
    const cause = new Error('connect ECONNREFUSED\n127.0.0.1:5672');
    log.warn({ error: new Error('it cannot be used', { cause }) }, 'RabbitMQ cannot be reached');
    expect(line()).toMatch(
      /^\S+ warn {2}RabbitMQ cannot be reached \(it cannot be used; because: connect ECONNREFUSED 127.0.0.1:5672\)\n$/,
    );
  });

  it('shows nothing that moves the cursor or turns the direction', () => {
    log.info({ endpoint: 'x\u001b[2J\u202ey\u0007' }, 'a device\tregistered');
    expect(line()).toMatch(/ a device registered endpoint=xy\n$/);
  });

  it('shows no secret', () => {
    log.error({ token: 'abc', body: { password: 'def' } }, 'x');
    expect(line()).toContain('token=[redacted]');
    expect(line()).not.toMatch(/abc|def/);
  });
});

import { expect, it } from 'vitest';

import { logRefusedHandshakes } from '../../driver/coap/secure-endpoint.ts';
import { newDtlsCounters } from '../../driver/dtls/contract.ts';
import { TestClock } from '../support/world/clock.ts';

it('says once a minute what a DTLS server refused in it', async () => {
  const clock = new TestClock();
  const counters = newDtlsCounters();
  const lines: unknown[] = [];
  const stop = logRefusedHandshakes(counters, clock, { warn: (...line) => lines.push(line) });
  const text = 'DTLS handshakes or records were refused';
  counters.unproven += 3;
  counters.forged += 1;
  counters.handshakes += 5;
  await clock.advance(60_000);
  expect(lines.splice(0)).toEqual([[{ unproven: 3, forged: 1 }, text]]);
  await clock.advance(60_000);
  expect(lines).toEqual([]);
  counters.unproven += 1;
  await clock.advance(60_000);
  expect(lines.splice(0)).toEqual([[{ unproven: 1 }, text]]);
  stop();
  counters.unproven += 1;
  await clock.advance(60_000);
  expect(lines).toEqual([]);
});

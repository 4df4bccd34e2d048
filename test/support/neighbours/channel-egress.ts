import { onTestFinished } from 'vitest';

import { allowedBySink, type EgressBySink, openEgress } from '../../../src/kernel/egress/sink.ts';

/** Ways out for channels that may go to these `host:port`, until the test ends. */
export function channelEgress(allow: readonly string[]): EgressBySink {
  const entries = allow.flatMap((hostPort) => [`webhook:${hostPort}`, `sms:${hostPort}`]);
  const egress = openEgress(allowedBySink(entries));
  onTestFinished(() => egress.close());
  return egress;
}

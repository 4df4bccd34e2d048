import { breaks } from './mutation.ts';

export const serving = [
  breaks(
    'driver/sdk/command/once.ts',
    'return handedOutBefore;',
    'return null;',
    'unit/driver-redelivery',
    'to a copy without a record of it is not written twice',
  ),
  breaks(
    'driver/sdk/command/once.ts',
    "if (state === 'interrupted') return interrupted;",
    "if (state === 'interrupted') return duplicate;",
    'unit/driver-redelivery',
    'after it was interrupted by a crash ends UNKNOWN, never DUPLICATE',
  ),
  breaks(
    'driver/sdk/command/once.ts',
    'Math.max(time.since(sentAt), clock.elapsed() - receivedAt)',
    '(clock.now() - sentAt)',
    'unit/driver-redelivery',
    'ms off is executed in its time',
  ),
  breaks(
    'driver/sdk/command/center-time.ts',
    'current = Math.max(current, sentAt - now);',
    'current = -now;',
    'unit/driver-redelivery',
    '60 s behind is not executed after its time',
  ),
  breaks(
    'src/manager/device-lease.ts',
    "where s.node in ('', ${node}) or",
    'where true or',
    'api/serving',
    'is served by the node where it registered last',
  ),
  breaks(
    'src/manager/device-lease.ts',
    'const LAPSING_MS = 14_000;',
    'const LAPSING_MS = -14_000;',
    'api/serving',
    'whose node sends no heartbeat is offered to the other before its lease ends',
  ),
  breaks(
    'src/data/command/command-publish.ts',
    "node === '' ? driverCode : nodeKey(driverCode, node)",
    'driverCode',
    'api/serving',
    'that any node could serve stays with the first until it is gone',
  ),
];

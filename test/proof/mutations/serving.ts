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
];

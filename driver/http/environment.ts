import { z } from 'zod';

import { Port } from '../../src/kernel/process/layout.ts';
import { isLoopbackName } from '../../src/kernel/request/loopback.ts';
import type { Place } from '../sdk/driver.ts';

/** Where devices push to, by the driver `http` of SVC_DRIVERS. */
export const HttpEnvironment = z.object({
  HTTP_IN_HOST: z.string().min(1).default('127.0.0.1'),
  HTTP_IN_PORT: Port.default(8680),
});

/** Where the driver listens. */
export const httpPlace = ({
  HTTP_IN_HOST: host,
  HTTP_IN_PORT: port,
}: z.output<typeof HttpEnvironment>): Place => ({
  name: 'HTTP in',
  scheme: 'http',
  host,
  port,
  ...(isLoopbackName(host) && { note: 'this machine only, HTTP_IN_HOST=0.0.0.0 opens it' }),
});

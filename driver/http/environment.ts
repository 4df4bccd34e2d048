import { z } from 'zod';

import { Port } from '../../src/kernel/process/layout.ts';

/** Where devices push to, by the driver `http` of SVC_DRIVERS. */
export const HttpEnvironment = z.object({
  HTTP_IN_HOST: z.string().min(1).default('127.0.0.1'),
  HTTP_IN_PORT: Port.default(8680),
});

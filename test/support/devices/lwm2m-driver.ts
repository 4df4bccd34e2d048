import { createLwm2mDriver } from '../../../driver/lwm2m/driver.ts';
import type { Driver } from '../../../driver/sdk/driver.ts';
import type { Clock } from '../../../src/core/clock.ts';
import type { Log } from '../../../src/core/log/log.ts';
import { NO_READS } from '../world/environment.ts';

type Options = { port?: number; clock: Clock; log: Log; dataDir?: string };

/**
 * The LwM2M driver on loopback, on a free port unless one is given; `port()` answers it after the start. It reads
 * when it is asked to.
 */
export function lwm2mDriver({ port = 0, ...rest }: Options): Driver & { port(): number } {
  const place = { name: 'LwM2M', scheme: 'coap', host: '127.0.0.1', port };
  const driver = createLwm2mDriver({ place, ...rest });
  return { ...driver, readCron: NO_READS, port: () => driver.listening?.()[0]?.port ?? port };
}

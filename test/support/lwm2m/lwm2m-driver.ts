import { createLwm2mDriver } from '../../../driver/lwm2m/driver.ts';
import type { Driver } from '../../../driver/sdk/driver.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import { NO_READS } from '../world/environment.ts';

type Options = { port?: number; securePort?: number; clock: Clock; log: Log; dataDir?: string };

/**
 * The LwM2M driver on loopback, on a free port unless one is given; `port()` answers it after the start, `securePort()` the one of DTLS. It reads
 * when it is asked to.
 */
export function lwm2mDriver({
  port = 0,
  securePort = 0,
  ...rest
}: Options): Driver & { port(): number; securePort(): number } {
  const at = { name: 'LwM2M', host: '127.0.0.1' };
  const clear = { ...at, scheme: 'coap', port };
  const driver = createLwm2mDriver({
    places: { clear, secure: { ...at, scheme: 'coaps', port: securePort } },
    ...rest,
  });
  const portOf = (scheme: string): number | undefined =>
    driver.listening?.().find((place) => place.scheme === scheme)?.port;
  return {
    ...driver,
    readCron: NO_READS,
    port: () => portOf('coap') ?? port,
    securePort: () => portOf('coaps') ?? 0,
  };
}

import type { Clock } from '../../src/kernel/clock.ts';
import type { Log } from '../../src/kernel/process/log.ts';

/** What a driver of a package gets from its process: neither the environment nor the bus. */
export type PackageContext = { clock: Clock; log: Log; dataDir: string };

/**
 * What a process needs beside its ports and its database: most of the code. `platform.ts` imports it while the
 * database opens, which is the work of another thread or machine.
 */
export { firstPassword } from '../auth/seed.ts';
export { openEgress } from '../kernel/egress/sink.ts';
export { createCenter } from '../gateway/center.ts';
export { createDriverHealth } from '../gateway/mount/driver-health.ts';
export { createGateway } from '../gateway/server.ts';
export { measureBus, startGauges } from './gauges.ts';
export { registry, seedAuth, startCenters, startDrivers } from './services.ts';

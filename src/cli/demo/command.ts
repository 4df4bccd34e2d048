import { ConfigError } from '../../kernel/process/config.ts';
import type { Composition } from '../../start/composition.ts';
import { benchDevices } from './bench.ts';
import { seedBench } from './onboard.ts';

/**
 * `svc demo [names]`: onboards all demo devices, or the named ones, on a platform that is split into
 * processes; a platform in one process does so at its start.
 */
export async function demoCommand(
  { createApp, readSettings }: Composition,
  names: readonly string[],
): Promise<void> {
  const config = readSettings();
  if (config.bus.amqpUrl === null)
    throw new ConfigError(
      'AMQP_URL is required: a platform in one process brings the demo devices itself (SVC_DEMO=on)',
    );
  const known = benchDevices.map(({ deviceName }) => deviceName);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new ConfigError(`there is no demo device ${unknown.join(', ')}, but ${known.join(', ')}`);
  const wanted = names.length > 0 ? names : known;
  const app = await createApp(config);
  try {
    await seedBench(app, wanted);
  } finally {
    await app.bus.close();
    await app.db.close();
  }
  process.stdout.write(`Onboarded: ${wanted.join(', ')}\n`);
}

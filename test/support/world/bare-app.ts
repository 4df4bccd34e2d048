import { MemoryBus } from '../../../src/bus/memory.ts';
import type { App } from '../../../src/kernel/app/app.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { allowedBySink, openEgress } from '../../../src/kernel/egress/sink.ts';
import { noMetrics } from '../../../src/kernel/metrics/metrics.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import { deriveKeys } from '../../../src/kernel/secret.ts';
import { openSlots } from '../../../src/kernel/slot.ts';
import { readSettings } from '../../../src/start/settings.ts';
import { testEnvironment } from './environment.ts';

type Options = { clock: Clock; hmacSecret?: string | null };

/** An App for parts that never reach the database: asking it anything fails. */
export function bareApp({ clock, hmacSecret }: Options): App {
  const config = readSettings(testEnvironment);
  const log = createLog('silent');
  const missing = (): never => {
    throw new Error('this App has no database');
  };
  return {
    config: hmacSecret === undefined ? config : { ...config, hmacSecret },
    clock,
    log,
    metrics: noMetrics,
    db: {
      engine: 'embedded',
      get queries() {
        return missing();
      },
      queue: Object.assign(missing, { waiting: missing }),
      repetitions: Object.assign(missing, { waiting: missing }),
      notices: { subscribe: missing, close: missing },
      load: missing,
      ping: missing,
      close: missing,
    },
    bus: new MemoryBus({ clock, log }),
    keys: deriveKeys(config.secretKey ?? 'a secret of an app without a database'),
    egress: openEgress(allowedBySink([])),
    of: openSlots(clock, 'embedded'),
    tools: [],
    resources: [],
    prompts: [],
    skills: [],
    tasks: [],
    crashAt() {},
  };
}

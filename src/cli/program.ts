import type { Worker } from 'node:worker_threads';

import { createApp, startDriverPlatform, startPlatform } from '../start/platform.ts';
import { readSettings } from '../start/settings.ts';
import { run } from './index.ts';

/** What a process does after its entry has set the engine up. `thread`: of the embedded database, on its way. */
export type Program = (
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  thread: Worker | undefined,
) => Promise<void>;

export const program: Program = (argv, environment, thread) =>
  run([...argv], {
    startPlatform: (settings) => startPlatform(settings, { thread }),
    startDriverPlatform,
    createApp,
    readSettings: () => readSettings(environment),
  });

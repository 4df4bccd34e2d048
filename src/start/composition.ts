import type { createApp, startDriverPlatform, startPlatform } from './platform.ts';
import type { Settings } from './settings.ts';

/** Functions of `platform.ts` that the commands get, so that they need not import it. */
export type Composition = {
  startPlatform: typeof startPlatform;
  startDriverPlatform: typeof startDriverPlatform;
  createApp: typeof createApp;
  readSettings(): Settings;
};

import type { App, Caller } from '../../../src/app.ts';
import { onPresentFacts } from '../../../src/auth/token/present.ts';

/** The caller that `identify` finds, on the facts of now, as a request gets it. */
export const presentCaller = async <C extends Caller>(
  app: App,
  identify: () => Promise<C>,
): Promise<C> => onPresentFacts(app, await identify(), identify, async (caller) => caller);

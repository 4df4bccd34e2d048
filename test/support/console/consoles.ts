import { onTestFinished } from 'vitest';

import { started } from '../world/prepared.ts';
import { startBrowser } from './chromium.ts';
import { type Console, logIn, openConsole, type Person, type Shown } from './open-console.ts';

type Platform = { base: string };

/** The console of a platform, in a browser of the tests of a file; what a test opens closes after it. */
export function consoles(platform: Platform | { world: Platform }) {
  const browser = started(startBrowser);

  const open = async (shown: Shown = {}, other?: string): Promise<Console> => {
    const { base } = 'world' in platform ? platform.world : platform;
    const console = await openConsole(browser, other ?? base, shown);
    onTestFinished(() => console.close());
    return console;
  };
  /** The page at `path`, to which `person` logs in: the admin of a tenant where only that is named. */
  const at = async (
    path: string,
    person: Person | string = {},
    shown: Shown = {},
  ): Promise<Console> => {
    const console = await open(shown);
    if (path !== '/') await console.go(path);
    await logIn(console, person);
    return console;
  };
  return { browser, open, at };
}

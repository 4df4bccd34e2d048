import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Browser } from '../../people/browser.ts';
import { admin, allowAll } from '../../people/oauth-client.ts';
import type { Session } from '../../people/session.ts';
import { eventually } from '../../world/eventually.ts';
import type { Home, Ran } from './installed.ts';

const OPENS_MS = 60_000;

/** Runs a line that opens a browser, and is that browser: the person logs in and allows what is asked. */
export async function logInBy(
  home: Home,
  line: string,
  base: string,
  person: Session,
): Promise<{ ran: Ran; browsed: string[] }> {
  const opened = join(home.folder, 'opened');
  const opener = join(home.folder, 'bin', 'xdg-open');
  await mkdir(join(home.folder, 'bin'), { recursive: true });
  await writeFile(opener, `#!/bin/sh\necho "$1" > '${opened}'\n`);
  await chmod(opener, 0o755);
  const running = home.run(line, { BROWSER: opener });
  const browsed = await browse().catch((error: unknown) => [String(error)]);
  return { ran: await running, browsed };

  async function browse(): Promise<string[]> {
    const address = await eventually(
      () => readFile(opened, 'utf8').catch(() => ''),
      (text) => text.endsWith('\n'),
      OPENS_MS,
    );
    const login = person.headers['x-auth-login'] ?? '';
    const who = { ...admin, tenant: person.tenant, login };
    const page = await allowAll(new Browser(base), new URL(address.trim()), who);
    if (new URL(page.url).origin === new URL(base).origin)
      return [`the login stays at ${page.url}: ${page.text.slice(0, 300)}`];
    const back = await fetch(page.url);
    return back.ok ? [] : [`the program answers its code with ${back.status}`];
  }
}

import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

import { z } from 'zod';

import { login, type Session } from '../../people/session.ts';
import { testEnvironment } from '../../world/environment.ts';
import { type Server, startServer } from '../../world/server.ts';
import { type Credentials, wrongCredentials } from './credentials.ts';

const Counts = z.object({
  answered: z.array(z.object({ port: z.number(), cpuUs: z.number(), mainUs: z.number() })),
  closed: z.array(z.object({ port: z.number(), bytesRead: z.number() })),
  heldMs: z.number(),
});
type Counts = z.infer<typeof Counts>;

/** A platform of its own process that counts what connections cost it (counting.ts). */
export type Counted = {
  server: Server;
  admin: Session;
  given: Credentials;
  /** The counts since the call before; `hold` has it follow the turns of the event loop from now on. */
  take(line?: 'hold' | 'now'): Promise<Counts>;
  /** Whether it has ended by itself. */
  hasEnded(): boolean;
  stop(): Promise<void>;
};

const COUNTING = new URL('counting.ts', import.meta.url).href;

export async function startCounted(
  environment: Record<string, string>,
  heapMb: number,
): Promise<Counted> {
  const server = await startServer({
    ...testEnvironment,
    ...environment,
    SVC_DEMO: 'on', // with the scripted model, so that a chat is answered
    NODE_OPTIONS: `--max-old-space-size=${heapMb} --import=${COUNTING}`,
  });
  let exit: object | null = null;
  void server.exited.then((end) => (exit = end));
  const port = Number(/\d+$/.exec(await server.line(/^counting at \d+$/))?.[0]);
  const control = connect(port, '127.0.0.1');
  const lines = createInterface({ input: control.on('error', () => {}) });
  const admin = await login(server.base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
  return {
    server,
    admin,
    given: await wrongCredentials(admin),
    async take(line = 'now') {
      const answered = once(lines, 'line', { signal: AbortSignal.timeout(60_000) });
      control.write(`${line}\n`);
      const [text] = await answered;
      return Counts.parse(JSON.parse(String(text)));
    },
    hasEnded: () => exit !== null,
    async stop() {
      control.destroy();
      await server.stop();
    },
  };
}

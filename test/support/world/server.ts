import { type Process, startProcess } from './process.ts';

/** The whole platform as its users start it. */
export type Server = Process & {
  base: string;
  /** The generated admin password of a first start. */
  password: string | null;
  lwm2mPort: number;
};

/** Runs `node src/main.ts serve` with exactly this environment (and PATH), of this tree or a copy; waits for its banner. */
export async function startServer(
  environment: Record<string, string>,
  tree?: string,
): Promise<Server> {
  const server = startProcess(['src/main.ts', 'serve'], environment, '', tree);
  const { output, line } = server;
  const base = field(
    await line(/^ {2}API /).catch(async (error: unknown) => {
      await server.kill();
      throw error;
    }),
  );
  await line(/^ {2}Database /);
  return {
    ...server,
    base: base.replace(/\/api\/v3$/, ''),
    password:
      /^ {2}Password {2}(\S+) {3}\(generated/.exec(
        output.find((text) => /^ {2}Password/.test(text)) ?? '',
      )?.[1] ?? null,
    lwm2mPort: Number(/coap:\/\/\S+:(\d+)/.exec(await line(/^ {2}LwM2M /))?.[1]),
  };
}

const field = (text: string): string => text.trim().split(/ {2,}/)[1] ?? '';

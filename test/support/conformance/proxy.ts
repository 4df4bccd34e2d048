import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A door of the platform at `base` for programs that cannot send a token: passes everything on, adds the
 * header, and maps its own port in Host and Origin back to the platform's.
 */
export async function withToken(base: string, token: string) {
  const { hostname, port } = new URL(base);
  const server = createServer((incoming, outgoing) => {
    const own = `:${portOf(server)}`;
    const mapped = Object.entries(incoming.headers).map(([name, value]) => [
      name,
      name === 'host' || name === 'origin' ? String(value).replace(own, `:${port}`) : value,
    ]);
    const headers = { ...Object.fromEntries(mapped), authorization: `Bearer ${token}` };
    const { method, url: path } = incoming;
    const onward = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => void server.listen(0, hostname, resolve));
  return {
    url: `http://${new URL(base).hostname}:${portOf(server)}/mcp`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it does not listen');
  return address.port;
}

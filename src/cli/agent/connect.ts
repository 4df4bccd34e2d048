import { clientsFor } from '../../console/clients.ts';

/** `svc connect`: how each client is connected to this platform. */
export function connectCommand(baseUrl: string): void {
  const url = `${baseUrl}/mcp`;
  const parts = clientsFor(url).map(([client, where, text]) => `${client} (${where})\n${text}\n`);
  process.stdout.write(
    `${parts.join('\n')}\nA client that can open a browser logs in by itself. Others send a key as bearer token: svc key --name NAME --audience mcp\n`,
  );
}

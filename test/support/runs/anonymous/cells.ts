import { type HostileBody, hostileBodies } from './bodies.ts';
import type { Credentials } from './credentials.ts';
import type { Entrance } from './routes.ts';
import { type Sent, sendHostile } from './send.ts';

/** A body with a credential at an entrance. */
export type Cell = { entrance: Entrance; body: HostileBody; credential: string };

export const cellsOf = (entrance: Entrance, names: readonly string[]): Cell[] =>
  names.flatMap((credential) => hostileBodies.map((body) => ({ entrance, body, credential })));

/** Of a route of a table one cell, the next one of the next route; of every other entrance all. */
export const sampledCells = (all: readonly Entrance[], names: readonly string[]): Cell[] =>
  all.flatMap((entrance, index) => {
    const cells = cellsOf(entrance, names);
    const at = index % cells.length;
    return entrance.door === 'rest' ? cells.slice(at, at + 1) : cells;
  });

export function sendCell(
  base: string,
  { entrance, body, credential }: Cell,
  given: Credentials,
  stays = false,
): Promise<Sent> {
  const audience = entrance.door === 'mcp' ? 'mcp' : 'api';
  const shown = given.get(credential)?.(audience) ?? {};
  return sendHostile(base, { entrance, body, credential: shown, id: 'hostile', stays });
}

export const describedCell = ({ entrance, body, credential }: Cell): string =>
  `${entrance.method} ${entrance.path}, ${body.name}, ${credential}`;

/** What is wrong with a status: it is no refusal, no page, and no body that is waited for. */
export function isWrongStatus({ entrance, body }: Cell, status: number): boolean {
  const { method, isOpen } = entrance;
  const isAnswered = status >= 400 && status < 500;
  const isPage = isOpen && method === 'GET' && status > 0 && status < 400;
  const isWaited = isOpen && method === 'POST' && body.isShort && status === 0;
  return !isAnswered && !isPage && !isWaited;
}

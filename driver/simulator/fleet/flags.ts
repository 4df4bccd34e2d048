import { parseArgs } from 'node:util';

import { type Chances, type Fault, FAULTS } from './fault.ts';

export const USAGE = `usage: npm run devices -- --count N [--first NUMBER] [--prefix NAME] [--seed TEXT] [--server HOST:PORT,...] [--psk] [--observe]
  [--lifetime SECONDS] [--for SECONDS] [--loss SHARE] [--latency MS] [--faults NAME:SHARE,...] [--turn SECONDS]
  [--queue] [--awake SECONDS]
  [--firmware VERSION] [--table FILE] [--onboard] [--platform URL] [--tenant CODE] [--json]
faults: ${FAULTS.join(', ')}`;

export class FlagError extends Error {}

export type Flags = {
  count: number;
  first: number;
  prefix: string;
  seed: string;
  servers: { host: string; port: number }[];
  isSecure: boolean;
  /** The temperature is to be reported by the devices themselves. */
  isObserved: boolean;
  lifetimeS: number;
  /** Null: until a signal. */
  forS: number | null;
  network: { loss: number; latencyMs: number };
  chances: Chances;
  turnMs: number;
  /** The version that they run, as devices with firmware to update; null: without. */
  firmware: string | null;
  /** Null: they listen all the time. */
  queue: { awakeMs: number } | null;
  /** Write the devices as a table to this file, then end. */
  table: string | null;
  onboard: boolean;
  platform: string;
  tenant: string;
  json: boolean;
};

const MAX_DEVICES = 10_000;
const MAX_SECONDS = 31_536_000;
const MAX_LATENCY_MS = 60_000;
const NO_FAULTS: Chances = {
  stuck: 0,
  'lie-ack': 0,
  reboot: 0,
  storm: 0,
  clock: 0,
  rebind: 0,
  outage: 0,
};
const MAX_SERVERS = 16;

/** Throws FlagError with the flag that is wrong. */
export function flagsOf(args: readonly string[]): Flags {
  const given = argumentsOf(args);
  const isSecure = given.psk;
  const table = given.table ?? null;
  if (table !== null && given.onboard)
    throw new FlagError('--table and --onboard are two ways to add the devices: name one');
  return {
    count: whole('--count', given.count ?? '', 1, MAX_DEVICES),
    first: whole('--first', given.first, 1, 1_000_000),
    prefix: prefixOf(given.prefix),
    seed: given.seed,
    servers: serversOf(given.server ?? '127.0.0.1', isSecure),
    isSecure,
    isObserved: given.observe,
    lifetimeS: whole('--lifetime', given.lifetime, 2, MAX_SECONDS),
    forS: given.for === undefined ? null : whole('--for', given.for, 1, MAX_SECONDS),
    network: {
      loss: share('--loss', given.loss),
      latencyMs: whole('--latency', given.latency, 0, MAX_LATENCY_MS),
    },
    chances: chancesOf(given.faults),
    turnMs: whole('--turn', given.turn, 1, MAX_SECONDS / 1_000) * 1_000,
    firmware: given.firmware ?? null,
    queue: given.queue ? { awakeMs: whole('--awake', given.awake, 1, MAX_SECONDS) * 1_000 } : null,
    table,
    onboard: given.onboard,
    platform: platformOf(given.platform),
    tenant: given.tenant,
    json: given.json,
  };
}

function argumentsOf(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        count: { type: 'string' },
        first: { type: 'string', default: '1' },
        prefix: { type: 'string', default: 'sim' },
        seed: { type: 'string', default: '1' },
        server: { type: 'string' },
        psk: { type: 'boolean', default: false },
        observe: { type: 'boolean', default: false },
        lifetime: { type: 'string', default: '300' },
        for: { type: 'string' },
        loss: { type: 'string', default: '0' },
        latency: { type: 'string', default: '0' },
        faults: { type: 'string', default: '' },
        turn: { type: 'string', default: '10' },
        firmware: { type: 'string' },
        queue: { type: 'boolean', default: false },
        awake: { type: 'string', default: '93' },
        table: { type: 'string' },
        onboard: { type: 'boolean', default: false },
        platform: { type: 'string', default: 'http://127.0.0.1:8000' },
        tenant: { type: 'string', default: 'default' },
        json: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new FlagError(error instanceof Error ? error.message : 'the arguments cannot be read');
  }
}

function whole(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : -1;
  if (value < min || value > max) throw new FlagError(`${name} must be from ${min} to ${max}`);
  return value;
}

function share(name: string, text: string): number {
  const value = /^\d(\.\d{1,9})?$/.test(text) ? Number(text) : -1;
  if (value < 0 || value > 1) throw new FlagError(`${name} must be a share from 0 to 1, as 0.05`);
  return value;
}

function chancesOf(text: string): Chances {
  const chances = { ...NO_FAULTS };
  const seen = new Set<Fault>();
  for (const part of text === '' ? [] : text.split(',')) {
    const [name, chance = '', ...rest] = part.split(':');
    const fault = FAULTS.find((known) => known === name);
    if (!fault || rest.length > 0)
      throw new FlagError(`--faults: "${part}" is none of ${FAULTS.join(', ')} with a share`);
    if (seen.has(fault)) throw new FlagError(`--faults names ${fault} twice`);
    seen.add(fault);
    chances[fault] = share(`--faults ${fault}`, chance);
  }
  return chances;
}

function prefixOf(text: string): string {
  // Letters that a table, a query and a log take as they are.
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(text))
    throw new FlagError('--prefix must be 1 to 64 letters, digits, "-", "_" or "."');
  return text;
}

function serversOf(text: string, isSecure: boolean): { host: string; port: number }[] {
  const servers = text.split(',');
  if (servers.length > MAX_SERVERS) throw new FlagError(`--server takes ${MAX_SERVERS} at most`);
  return servers.map((server) => serverOf(server, isSecure));
}

function serverOf(text: string, isSecure: boolean): { host: string; port: number } {
  const at = text.lastIndexOf(':');
  const host = at < 0 ? text : text.slice(0, at);
  if (host === '') throw new FlagError('--server must be HOST or HOST:PORT');
  const port =
    at < 0 ? (isSecure ? 5684 : 5683) : whole('--server port', text.slice(at + 1), 1, 65_535);
  return { host, port };
}

function platformOf(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new FlagError('--platform must be the address of a platform, as http://127.0.0.1:8000');
  return url.origin;
}

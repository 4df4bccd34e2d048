import pg from 'pg';

import { Unavailable } from '../../kernel/errors.ts';
import { addressesOf } from '../../kernel/process/hosts.ts';

const READ_ONLY = `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "isReadOnly"`;

/** A connection to one of the servers. */
type ServerClient = pg.Client & { readonly address: string };

/**
 * The servers that `DATABASE_URL` names. Of several the first that can be reached and takes writes is used, until a new
 * connection to it fails or finds that it only reads: the next connection is to the next one.
 */
export type Servers = {
  /** For `new pg.Pool` too: connects to the server in use. */
  Client: new (config?: pg.ClientConfig) => ServerClient;
  /** Connects to the first of them that takes writes; throws what the last one answered. */
  connect(config: pg.ClientConfig): Promise<ServerClient>;
  /** Throws Unavailable (503) for a connection to one of several that only reads. */
  demandWrites(client: pg.ClientBase): Promise<void>;
};

export function createServers(url: string): Servers {
  const addresses = addressesOf(url) ?? [url];
  let at = 0;
  const current = (): string => addresses[at] ?? url;
  const leave = (address: string): void => {
    // Others of its connections may have failed before.
    if (address === current()) at = (at + 1) % addresses.length;
  };

  class Client extends pg.Client {
    readonly address: string;

    constructor(config: pg.ClientConfig = {}) {
      const address = current();
      super({ ...config, connectionString: address });
      this.address = address;
      let isConnected = false;
      this.once('connect', () => (isConnected = true)).once('end', () => {
        if (!isConnected) leave(address);
      });
    }
  }

  async function demandWrites(client: pg.ClientBase): Promise<void> {
    if (addresses.length === 1 || !(client instanceof Client)) return;
    const { rows } = await client.query<{ isReadOnly: boolean }>(READ_ONLY);
    if (rows[0]?.isReadOnly === false) return;
    leave(client.address);
    throw new Unavailable('The database is read-only now');
  }

  return {
    Client,
    demandWrites,
    async connect(config) {
      for (let left = addresses.length; ; left -= 1) {
        const client = new Client(config);
        // Its loss is reported by the query that meets it.
        client.on('error', () => {});
        try {
          await client.connect();
          await demandWrites(client);
          return client;
        } catch (error) {
          leave(client.address);
          await client.end().catch(() => {});
          if (left <= 1) throw error;
        }
      }
    },
  };
}

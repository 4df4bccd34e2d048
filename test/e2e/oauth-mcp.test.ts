import { get } from 'node:http';
import { text } from 'node:stream/consumers';

import {
  Client,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { Browser } from '../support/people/browser.ts';
import {
  admin,
  allowAll,
  discover,
  registerApp,
  tokensFor,
} from '../support/people/oauth-client.ts';
import { request } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';

type Kept = NonNullable<Awaited<ReturnType<OAuthClientProvider['clientInformation']>>>;
type Found = NonNullable<Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>>;
type Tokens = NonNullable<Awaited<ReturnType<OAuthClientProvider['tokens']>>>;

/** What an MCP client keeps about one server; its "browser" is a person who allows everything. */
class Keeper implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:33418/callback';
  readonly #browser: Browser;
  #client: Kept | undefined;
  #tokens: Tokens | undefined;
  #found: Found | undefined;
  #verifier = '';
  asked: URL[] = [];
  /** What the person takes away at the consent page. */
  taken: string[] = [];
  back = new URL('http://127.0.0.1/');

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  get clientMetadata(): OAuthClientMetadata {
    return { client_name: 'Official client', redirect_uris: [this.redirectUrl] };
  }
  clientInformation = () => this.#client;
  saveClientInformation(client: Kept): void {
    this.#client = client;
  }
  tokens = () => this.#tokens;
  saveTokens(tokens: Tokens): void {
    this.#tokens = tokens;
  }
  discoveryState = () => this.#found;
  saveDiscoveryState(found: Found): void {
    this.#found = found;
  }
  codeVerifier = () => this.#verifier;
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  async redirectToAuthorization(url: URL): Promise<void> {
    this.asked.push(url);
    this.back = new URL((await allowAll(this.#browser, url, admin, this.taken)).url);
  }
}

const world = startedWorld();

const identity = { name: 'platform-tests', version: '1.0.0' };
const names = async (client: Client): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

/** By whichever name of this computer it is called. */
describe.each(['127.0.0.1', 'localhost'])(
  'the official MCP client, knowing nothing but the address at %s',
  (host) => {
    let base: string;
    let keeper: Keeper;
    const transport = () =>
      new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { authProvider: keeper });

    beforeAll(() => {
      base = world.base.replace('127.0.0.1', host);
      keeper = new Keeper(new Browser(base));
    });

    it('registers, sends a person to the pages, and lists the tools he may use', async () => {
      const first = transport();
      await expect(new Client(identity).connect(first)).rejects.toThrow(UnauthorizedError);
      const [asked] = keeper.asked;
      expect(asked?.origin).toBe(base);
      expect(asked?.searchParams.get('resource')).toBe(`${base}/mcp`);
      expect(asked?.searchParams.get('scope')).toBe('svc:read svc:read-device svc:propose');
      expect(keeper.clientInformation()?.client_id).toMatch(/^dyn_/);
      expect(keeper.back.searchParams.get('iss')).toBe(base);
      await first.finishAuth(keeper.back.searchParams);

      const client = new Client(identity);
      await client.connect(transport());
      expect(await names(client)).toEqual(
        expect.arrayContaining(['searchDevices', 'readPointValue', 'writePointValue']),
      );
      expect(client.getInstructions()).not.toContain('Not listed');
      await client.close();
    });

    it('goes on with its refresh token when the access token is over', async () => {
      const before = keeper.tokens()?.access_token;
      world.clock.shift(16 * 60_000);
      const client = new Client(identity);
      await client.connect(transport());
      expect((await client.listTools()).tools.length).toBeGreaterThan(0);
      await client.close();
      expect(keeper.tokens()?.access_token).not.toBe(before);
      expect(keeper.asked).toHaveLength(1);
    });

    it('hears what the person took away, and steps up for it', async () => {
      keeper = new Keeper(new Browser(base));
      keeper.taken = ['svc:read-device', 'svc:propose'];
      const first = transport();
      await expect(new Client(identity).connect(first)).rejects.toThrow(UnauthorizedError);
      await first.finishAuth(keeper.back.searchParams);
      expect(keeper.tokens()?.scope).toBe('svc:read');

      const stepping = transport();
      const client = new Client(identity);
      await client.connect(stepping);
      expect(await names(client)).not.toContain('writePointValue');
      // What a further scope would open is told although it is not listed.
      expect(client.getInstructions()).toMatch(/svc:propose opens [^.]*writePointValue/);
      expect((await client.listTools())['_meta']).toMatchObject({
        'svc/further-scopes': { 'svc:propose': expect.arrayContaining(['writePointValue']) },
      });
      const write = { name: 'writePointValue', arguments: {} };
      keeper.taken = [];
      await expect(client.callTool(write)).rejects.toThrow();
      expect(keeper.asked).toHaveLength(2);
      expect(keeper.asked[1]?.searchParams.get('scope')?.split(' ').toSorted()).toEqual([
        'svc:propose',
        'svc:read',
      ]);
      await stepping.finishAuth(keeper.back.searchParams);
      await client.close();
      const after = new Client(identity);
      await after.connect(transport());
      expect(await names(after)).toContain('writePointValue');
      await after.close();
    });

    it('gets tokens that work by the other name too, as it is one server', async () => {
      const token = z.string().parse(keeper.tokens()?.access_token);
      const other = base.includes('localhost') ? world.base : base.replace(host, 'localhost');
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      const client = new Client(identity);
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${other}/mcp`), { requestInit }),
      );
      expect(await names(client)).toContain('searchDevices');
      await client.close();
    });
  },
);

it('a host that is not one of ours is never followed', async () => {
  const { port } = new URL(world.base);
  for (const host of [`evil.example:${port}`, 'localhost:1', 'localhost', '']) {
    for (const path of ['oauth-protected-resource/mcp', 'oauth-authorization-server']) {
      const answer = await rawGet(port, `/.well-known/${path}`, host);
      const isRefused = host.startsWith('evil') && path === 'oauth-authorization-server';
      expect(answer, host).toContain(isRefused ? 'R421' : `${world.base}/`);
      expect(answer, host).not.toContain('evil');
      expect(answer, host).not.toContain('localhost');
    }
  }
});

it('a person’s token confirms and rejects nothing: that takes an interactive login', async () => {
  const server = await discover(world.base);
  const { access } = await tokensFor(world.base, server, await registerApp(server), {
    scope: 'svc:read svc:propose svc:chat',
    resource: `${world.base}/api/v3`,
  });
  const headers = { authorization: `Bearer ${access}` };
  for (const path of ['confirm', 'reject']) {
    const answer = await request(world.base, 'POST', `/api/v3/agentic/action/${path}`, {
      headers,
      body: { action_id: '1' },
    });
    expect(answer.status).toBe(403);
    expect(answer.body.message).toBe('This needs an interactive login');
  }
});

/** As a client that puts any Host header it likes. */
function rawGet(port: string, path: string, host: string): Promise<string> {
  const answered = Promise.withResolvers<string>();
  get({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
    text(response).then(answered.resolve, answered.reject);
  }).on('error', answered.reject);
  return answered.promise;
}

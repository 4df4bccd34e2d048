import {
  Client,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { startWorld, type World } from '../support/app.ts';
import { Browser } from '../support/browser.ts';
import { allowAll } from '../support/oauth-client.ts';
import { request } from '../support/session.ts';

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
    this.back = new URL((await allowAll(this.#browser, url)).url);
  }
}

let world: World;
let keeper: Keeper;

beforeAll(async () => {
  world = await startWorld();
  keeper = new Keeper(new Browser(world.base));
});
afterAll(() => world.stop());

const transport = () =>
  new StreamableHTTPClientTransport(new URL(`${world.base}/mcp`), { authProvider: keeper });
const identity = { name: 'platform-tests', version: '1.0.0' };

describe('the official MCP client, knowing nothing but the address', () => {
  it('registers, sends a person to the pages, and lists the tools he may use', async () => {
    const first = transport();
    await expect(new Client(identity).connect(first)).rejects.toThrow(UnauthorizedError);
    const [asked] = keeper.asked;
    expect(asked?.searchParams.get('resource')).toBe(`${world.base}/mcp`);
    expect(asked?.searchParams.get('scope')).toBe('svc:read');
    expect(keeper.clientInformation()?.client_id).toMatch(/^dyn_/);
    await first.finishAuth(keeper.back.searchParams);

    const client = new Client(identity);
    await client.connect(transport());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('searchDevices');
    expect(tools.map(({ name }) => name)).not.toContain('writePointValue');
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

  it('steps up when a tool needs more than was allowed', async () => {
    const stepping = transport();
    const client = new Client(identity);
    await client.connect(stepping);
    const write = { name: 'writePointValue', arguments: {} };
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
    expect((await after.listTools()).tools.map(({ name }) => name)).toContain('writePointValue');
    await after.close();
  });
});

it('a person’s token confirms and rejects nothing: that takes an interactive login', async () => {
  const token = z.string().parse(keeper.tokens()?.access_token);
  const headers = { authorization: `Bearer ${token}` };
  for (const path of ['confirm', 'reject']) {
    const answer = await request(world.base, 'POST', `/api/v3/agentic/action/${path}`, {
      headers,
      body: { action_id: '1' },
    });
    expect(answer.status).toBe(403);
    expect(answer.body.message).toBe('This needs an interactive login');
  }
});

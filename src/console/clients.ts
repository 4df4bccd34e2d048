/** A program of agents: where the text goes by which it finds the platform, and the text of one that logs in with a key. */
type Client = [client: string, where: string, text: string, withKey?: string];

/** What each client needs to know of the MCP endpoint at `url`, in its own words. */
export const clientsFor = (url: string): Client[] => [
  [
    'Claude Code',
    'in a terminal; then /mcp to log in',
    `claude mcp add --transport http svc ${url}`,
    `claude mcp add --transport http svc ${url} ${KEY_HEADER}`,
  ],
  [
    'Claude Desktop',
    'Settings, Connectors, Add custom connector; or claude_desktop_config.json',
    json({
      mcpServers: { svc: { command: 'npx', args: ['-y', 'mcp-remote', url, ...inClear(url)] } },
    }),
  ],
  [
    'Cursor',
    '.cursor/mcp.json, with a key in SVC_MCP_KEY',
    json({ mcpServers: { svc: { url, headers: { Authorization: 'Bearer ${env:SVC_MCP_KEY}' } } } }),
  ],
  ['VS Code', '.vscode/mcp.json', json({ servers: { svc: { type: 'http', url } } })],
  [
    'Codex',
    'in a terminal; it logs in by itself',
    `codex mcp add svc --url ${url}`,
    `codex mcp add svc --url ${url} --bearer-token-env-var SVC_MCP_KEY`,
  ],
  [
    'opencode',
    'opencode.json; then opencode mcp auth svc',
    json({ mcp: { svc: { type: 'remote', url } } }),
    json({
      mcp: {
        svc: { type: 'remote', url, headers: { Authorization: 'Bearer {env:SVC_MCP_KEY}' } },
      },
    }),
  ],
  ...['Gemini CLI', 'Qwen Code'].map((client): Client => {
    const add = `${client.split(' ', 1)[0]?.toLowerCase()} mcp add --transport http svc ${url}`;
    return [client, 'in a terminal; then /mcp to log in', add, `${add} ${KEY_HEADER}`];
  }),
  [
    'openai SDK',
    'as a tool of responses.create',
    json({ type: 'mcp', server_label: 'svc', server_url: url, authorization: '$SVC_MCP_KEY' }),
  ],
];

/** The bridge takes an address without TLS on its own machine only. */
const inClear = (url: string): string[] =>
  url.startsWith('http:') && !['localhost', '127.0.0.1'].includes(new URL(url).hostname)
    ? ['--allow-http']
    : [];

/** As a shell takes it. */
const KEY_HEADER = '--header "Authorization: Bearer $SVC_MCP_KEY"';

const json = (value: object): string => JSON.stringify(value);

/** A program of agents: where the text goes by which it finds the platform. */
type Client = [client: string, where: string, text: string];

/** What each client needs to know of the MCP endpoint at `url`, in its own words. */
export const clientsFor = (url: string): Client[] => [
  [
    'Claude Code',
    'in a terminal; then /mcp to log in',
    `claude mcp add --transport http svc ${url}`,
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
  ['Codex', 'in a terminal; it logs in by itself', `codex mcp add svc --url ${url}`],
  [
    'opencode',
    'opencode.json; then opencode mcp auth svc',
    json({ mcp: { svc: { type: 'remote', url } } }),
  ],
  ['Gemini CLI', 'in a terminal', `gemini mcp add --transport http svc ${url}`],
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

const json = (value: object): string => JSON.stringify(value);

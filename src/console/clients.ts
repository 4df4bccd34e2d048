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
    stdio(url),
  ],
  ['Cursor', '.cursor/mcp.json', json({ mcpServers: { svc: { url } } })],
  ['VS Code', '.vscode/mcp.json', json({ servers: { svc: { type: 'http', url } } })],
  [
    'Codex',
    '~/.codex/config.toml',
    `[mcp_servers.svc]\nurl = "${url}"\nbearer_token_env_var = "SVC_MCP_KEY"`,
  ],
  ['Gemini CLI', 'in a terminal', `gemini mcp add --transport http svc ${url}`],
  [
    'openai SDK',
    'as a tool of responses.create',
    json({ type: 'mcp', server_label: 'svc', server_url: url, authorization: '$SVC_MCP_KEY' }),
  ],
];

const json = (value: object): string => JSON.stringify(value);
const stdio = (url: string): string =>
  json({
    mcpServers: {
      svc: {
        command: 'npm',
        args: ['run', '-s', 'svc', '--', 'mcp', '--stdio', '--url', url],
        env: { SVC_MCP_KEY: '…' },
      },
    },
  });

/** A program of agents from the npm registry, and what it needs to play a turn by itself. */
export type Program = {
  /** As `svc connect` calls it. */
  client: string;
  package: string;
  version: string;
  command: string;
  /** What its package runs after its installation, which npm leaves out. */
  prepared?: string;
  /** The Node that it needs where the present one does not do. */
  node?: string;
  /** Where the text of `svc connect` goes when it is no line for a terminal. */
  file?: string;
  /** Its settings by path below its home: the model, and nothing that asks the Internet. */
  settings(model: string): Record<string, object | string>;
  environment(model: string): Record<string, string>;
  turn(prompt: string): string[];
  /**
   * What logs in by a browser once the client is added, as a line for a terminal: null: adding it does. Undefined:
   * nothing outside its own window does.
   */
  login?: string | null;
};

const KEY = 'a-key-of-no-vendor';
const quietly = {
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

/** In this order they are met; the versions are pinned here alone. */
export const programs: readonly Program[] = [
  {
    client: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    version: '2.1.332',
    command: 'claude',
    prepared: 'install.cjs',
    settings: () => ({}),
    environment: (model) => ({
      // It does not notice that the stream of a call was cut, and has no limit by itself.
      MCP_TOOL_TIMEOUT: '60000',
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_TELEMETRY: '1',
    }),
    turn: (prompt) => ['-p', prompt, '--allowedTools', 'mcp__svc__*'],
    // It logs in at a terminal alone.
    login: 'script -qfec "claude mcp login svc" /dev/null',
  },
  {
    client: 'Codex',
    package: '@openai/codex',
    version: '0.171.0',
    command: 'codex',
    settings: (model) => ({
      '.codex/config.toml': [
        'model = "scripted"',
        'model_provider = "scripted"',
        'check_for_update_on_startup = false',
        'mcp_oauth_credentials_store = "file"',
        '[analytics]',
        'enabled = false',
        '[model_providers.scripted]',
        'name = "Scripted"',
        `base_url = "${model}/v1"`,
        'wire_api = "responses"',
        'env_key = "MODEL_KEY"',
        '',
      ].join('\n'),
    }),
    environment: () => ({ MODEL_KEY: KEY }),
    // Without a person it refuses each tool that is not read-only, unless it is told that it may.
    turn: (prompt) => [
      'exec',
      '--skip-git-repo-check',
      '-c',
      'mcp_servers.svc.default_tools_approval_mode="approve"',
      prompt,
    ],
    login: null,
  },
  {
    client: 'opencode',
    package: 'opencode-ai',
    version: '1.18.33',
    command: 'opencode',
    prepared: 'postinstall.mjs',
    file: 'opencode.json',
    settings: (model) => ({
      '.config/opencode/opencode.json': {
        autoupdate: false,
        share: 'disabled',
        model: 'scripted/scripted',
        small_model: 'scripted/scripted',
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Scripted',
            options: { baseURL: `${model}/v1`, apiKey: KEY },
            models: { scripted: { name: 'Scripted' } },
          },
        },
      },
    }),
    environment: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    turn: (prompt) => ['run', prompt],
    login: 'opencode mcp auth svc',
  },
  {
    client: 'Gemini CLI',
    package: '@google/gemini-cli',
    version: '0.61.0',
    command: 'gemini',
    // On Node 26 its own HTTP client reads no headers of any answer, and it connects nowhere.
    node: '24.22.3',
    settings: () => ({
      '.gemini/settings.json': {
        ...quietly,
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      },
    }),
    environment: (model) => ({
      GEMINI_API_KEY: KEY,
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    turn: (prompt) => ['-m', 'gemini-2.5-flash', '-p', prompt, '--yolo'],
  },
  {
    client: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    command: 'qwen',
    settings: () => ({
      '.qwen/settings.json': {
        ...quietly,
        security: { auth: { selectedType: 'openai' } },
        general: { enableAutoUpdate: false },
      },
    }),
    environment: (model) => ({
      OPENAI_API_KEY: KEY,
      OPENAI_BASE_URL: `${model}/v1`,
      OPENAI_MODEL: 'scripted',
      QWEN_CODE_SUPPRESS_YOLO_WARNING: '1',
    }),
    turn: (prompt) => ['-p', prompt, '--yolo'],
  },
];

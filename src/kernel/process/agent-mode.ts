/** What agents may do, from all to nothing. */
export const AGENT_MODES = ['ON', 'READ_ONLY', 'OFF'] as const;
export type AgentMode = (typeof AGENT_MODES)[number];

/** The modes as the command line and the environment name them. */
export const AGENT_WORDS = ['on', 'read-only', 'off'] as const;
export const modeNamed = (word: (typeof AGENT_WORDS)[number]): AgentMode =>
  ({ on: 'ON', 'read-only': 'READ_ONLY', off: 'OFF' } as const)[word];

import type { Schemas } from '../client/operations.ts';
import { agentsWords } from '../word/agents.ts';
import type { State } from './value/mark.tsx';

const CALLS = {
  SUCCESS: { tone: 'good', shape: 'check' },
  DENIED: { tone: 'warning', shape: 'bar' },
  POLICY_DENIED: { tone: 'warning', shape: 'bar' },
  ERROR: { tone: 'danger', shape: 'cross' },
  UNKNOWN: { tone: 'warning', shape: 'diamond' },
} as const;

export const callState = (status: Schemas['McpAudit']['status']): State => ({
  ...CALLS[status],
  word: agentsWords().call[status],
});

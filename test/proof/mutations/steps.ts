import { breaks, type Mutation } from './mutation.ts';

/** Several writes as one, with one condition of the next write less. */
export const steps: readonly Mutation[] = [
  breaks(
    'src/agentic/decision/send-next.ts',
    'if (index < 0 || !isVerified(row, now)) return null;',
    'if (index < 0) return null;',
    'api/action-steps-sent',
    'stop at a device that',
  ),
  breaks(
    'src/agentic/decision/send-next.ts',
    "return changes.length === 0 ? made.checked : changes.join('; ');",
    'return made.checked;',
    'api/action-steps-sent',
    'stop before one whose effect is not the confirmed one any more',
  ),
  breaks(
    'src/agentic/decision/send-next.ts',
    '  if (stopped !== null) return stopped;\n',
    '',
    'api/action-steps-sent',
    'stop before the next one once agents are switched off',
  ),
  breaks(
    'src/agentic/action/kind/status.ts',
    ' &&\n  settledTime === null;',
    ';',
    'unit/agentic-steps',
    'never says more or less than its steps',
  ),
  breaks(
    'src/agentic/action/step-outcome.ts',
    "const unwritten = at === 0 && ['FAILED', 'NOT_SENT'].includes(status);",
    "const unwritten = ['FAILED', 'NOT_SENT'].includes(status);",
    'unit/agentic-steps',
    'never says more or less than its steps',
  ),
];

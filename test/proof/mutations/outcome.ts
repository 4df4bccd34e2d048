import { breaks } from './mutation.ts';

export const outcome = [
  // How a command ended
  breaks(
    'src/data/command/outcome.ts',
    "status === 'EXPIRED' ? 'FAILED' : 'UNKNOWN'",
    "status === 'EXPIRED' ? 'FAILED' : 'FAILED'",
    'unit/agentic-action',
    'is told by its command',
  ),
  breaks(
    'src/data/command/outcome.ts',
    "verification === 'MISMATCH' ? 'MISMATCH' : 'EXECUTED'",
    "verification === 'NONE' ? 'MISMATCH' : 'EXECUTED'",
    'unit/agentic-action',
    'is told by its command',
  ),
  breaks(
    'src/data/command/outcome.ts',
    "return { status, done: status === 'EXECUTED', say",
    "return { status, done: status !== 'FAILED', say",
    'unit/agentic-outcome',
    'never contradict each other for a command',
  ),
  breaks(
    'src/agentic/action/kind/status.ts',
    "  UNKNOWN: { see: 'EXECUTED', settle: 'FAILED' },",
    '  UNKNOWN: {},',
    'unit/agentic-action',
    'leaves UNKNOWN for',
  ),
  // What is said of it
  breaks(
    'src/kernel/sentence/voice.ts',
    '.replaceAll(/(?!\')[\\p{Quotation_Mark}″❝❞]/gu, "\'")',
    '',
    'unit/agentic-outcome',
    'holds the texts of tenants and devices in quotations',
  ),
  breaks(
    'src/kernel/sentence/voice.ts',
    'UNIT.test(unit) ? unit : text(unit, MAX_UNIT)',
    "unit !== '' ? unit : text(unit, MAX_UNIT)",
    'unit/agentic-outcome',
    'leaves the units people use as they are',
  ),
  // What proves it later
  breaks(
    'src/data/command/evidence.ts',
    'beforeValue !== null && !holds(beforeValue)',
    "beforeValue !== '' || !holds(beforeValue)",
    'api/evidence',
    'was stored before it',
  ),
  breaks(
    'src/data/result/sweep.ts',
    'if (!next?.sendTime) return null;',
    "if (!next?.sendTime || open.tenantId !== '') return null;",
    'api/evidence',
    'is not proved by a reading after a later write to the point',
  ),
  breaks(
    'src/data/result/results.ts',
    'if (!isEvidence) return null;',
    'if (isEvidence) return null;',
    'api/evidence',
    'is proved by what a read sent after it answers',
  ),
  breaks(
    'src/data/command/outcome.ts',
    "const held = facts.readBackValue ?? facts.requestValue ?? '';",
    "const held = facts.requestValue ?? '';",
    'unit/agentic-outcome',
    'never contradict each other for a command',
  ),
  breaks(
    'src/agentic/action/kind/status.ts',
    "...(end === 'EXECUTED' ? statusesAllowing('see') : []),",
    '',
    'unit/agentic-outcome',
    'never contradict each other for an action',
  ),
];

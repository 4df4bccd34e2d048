import { breaks, type Mutation } from './mutation.ts';

const APPROVAL = 'api/standing-approval';
const MAKER = 'api/standing-approval-maker';
const OUTSIDE = 'unit/agentic-approval';

/** What people approve beforehand. */
export const approvals: readonly Mutation[] = [
  breaks(
    'src/agentic/approval/outside.ts',
    "if (card.tainted.length > 0) return 'it is tainted';",
    '',
    OUTSIDE,
    'leaves to a person: ',
  ),
  breaks(
    'src/agentic/approval/outside.ts',
    'value >= point.min && value <= point.max',
    'value >= point.min',
    OUTSIDE,
    'leaves to a person: ',
  ),
  breaks(
    'src/agentic/approval/outside.ts',
    'usedInHour >= point.maxPerHour',
    'usedInHour > point.maxPerHour',
    APPROVAL,
    'decides no more often within an hour than approved',
  ),
  breaks(
    'src/agentic/approval/use.ts',
    'if (!isAllowed || stopped !== null || fitting.length === 0) return null;',
    'if (stopped !== null || fitting.length === 0) return null;',
    APPROVAL,
    'decides nothing once revoked, and while they are switched off',
  ),
  breaks(
    'src/agentic/approval/use.ts',
    "(approval.clientId === '' || approval.clientId === row.clientId) &&",
    '',
    APPROVAL,
    'of a client is not of the other clients of the agent',
  ),
  breaks(
    'src/agentic/approval/use.ts',
    'return held.every(Boolean)',
    'return held.length > 0',
    MAKER,
    'is void once its maker ',
  ),
  breaks(
    'src/agentic/approval/use.ts',
    "if (row?.ended !== '') return",
    'if (!row) return',
    MAKER,
    'keeps back what it decided when it is revoked before the command is sent',
  ),
  breaks(
    'src/agentic/approval/maker.ts',
    "demandPerson(caller, 'approve writes beforehand');",
    '',
    MAKER,
    'is for a person on an interactive login: ',
  ),
  breaks(
    'src/agentic/approval/approval.ts',
    'if (digestOf(card) !== digest)',
    'if (digest === undefined)',
    APPROVAL,
    'takes the digest of the card that was shown',
  ),
];

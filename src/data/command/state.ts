import { statesAllowing, type Transitions } from '../../kernel/states.ts';

/** docs/specification/commands.md, States of a command. */
export const CommandStatus = {
  PENDING: 0,
  SENT: 1,
  SUCCESS: 2,
  FAILED: 3,
  TIMEOUT: 4,
  EXPIRED: 5,
  DEAD: 6,
  DUPLICATE: 7,
  UNKNOWN: 8,
} as const;
export type CommandStatus = keyof typeof CommandStatus;

/** Events of a command. */
export type CommandEvent =
  | 'send'
  | 'refuse'
  | 'expire'
  | 'timeOut'
  | 'succeed'
  | 'fail'
  | 'duplicate'
  | 'unknown';

/**
 * `send` is stored before the publish, so a result always finds the command SENT, and a PENDING command was
 * never published. `timeOut`: sent, but not answered. Only an uncertain write leaves a terminal state, when a
 * later reading proves it (src/data/result/sweep.ts).
 */
export const transitions: Transitions<CommandStatus, CommandEvent> = {
  PENDING: { send: 'SENT', refuse: 'FAILED', expire: 'EXPIRED' },
  SENT: {
    refuse: 'FAILED',
    expire: 'EXPIRED',
    timeOut: 'UNKNOWN',
    succeed: 'SUCCESS',
    fail: 'FAILED',
    duplicate: 'DUPLICATE',
    unknown: 'UNKNOWN',
  },
  SUCCESS: {},
  FAILED: {},
  TIMEOUT: {},
  EXPIRED: {},
  DEAD: {},
  DUPLICATE: {},
  UNKNOWN: {},
};

/** The event of each status in a driver's answer. */
export const answers = {
  SUCCESS: 'succeed',
  FAILED: 'fail',
  EXPIRED: 'expire',
  DUPLICATE: 'duplicate',
  UNKNOWN: 'unknown',
} as const satisfies Partial<Record<CommandStatus, CommandEvent>>;

/** The stored numbers of the states that allow `event`, for a conditional UPDATE. */
export const allowing = (event: CommandEvent): number[] =>
  statesAllowing(transitions, event).map((status) => CommandStatus[status]);

export const isTerminal = (status: CommandStatus): boolean =>
  Object.keys(transitions[status]).length === 0;

/** Ended without knowledge of the effect on the device. */
export const UNCERTAIN: readonly number[] = [
  CommandStatus.TIMEOUT,
  CommandStatus.DEAD,
  CommandStatus.DUPLICATE,
  CommandStatus.UNKNOWN,
];

export const Verification = { NONE: 0, VERIFIED: 1, MISMATCH: 2, UNVERIFIED: 3 } as const;
export const CommandType = { READ: 0, READ_BATCH: 1, WRITE: 2, WRITE_BATCH: 3, CONFIG: 4 } as const;
export const CommandSource = { HTTP: 0, GRPC: 1, AGENTIC: 2, SCHEDULED: 3 } as const;

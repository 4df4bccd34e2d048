import { breaks, type Mutation } from './mutation.ts';

/** What a confirmation covers, broken one comparison at a time. */
export const confirmation: readonly Mutation[] = [
  breaks(
    'src/agentic/action/card/change.ts',
    '  ...changesBetween(old.effect, fresh.effect),\n',
    '',
    'api/confirmation',
    'changed, with a fresh card',
  ),
  breaks(
    'src/agentic/action/card/renewal.ts',
    '(digest === undefined && !row.digestRequired)',
    'digest === undefined',
    'api/action-refused',
    'is the answer to a confirmation without the digest of a renewed card',
  ),
  breaks(
    'src/agentic/action/card/renewal.ts',
    'stillHolds(q, { tenantId, principalId: proposerId, code: PROPOSE }, now),',
    'true,',
    'api/confirmation',
    'is the answer once the proposer is disabled',
  ),
  breaks(
    'src/agentic/action/card/renewal.ts',
    'status: waits ? ACTION_STATUS.PENDING : ACTION_STATUS.EXPIRED,',
    'status: ACTION_STATUS.PENDING,\n      expireTime: new Date(now + 60_000),',
    'api/confirmation',
    'ends EXPIRED past the expiry',
  ),
  breaks(
    'src/agentic/action/card/effect.ts',
    "createHmac('sha256', key).update(value).digest('hex')",
    'value',
    'api/confirmation',
    'covers a secret without telling it',
  ),
  breaks(
    'src/data/command/send/dispatch.ts',
    'if (checked.effect === stored.effectDigest) return checked;',
    "if (checked.effect !== '') return checked;",
    'api/confirmation',
    'keeps back a direct write as well',
  ),
  breaks(
    'driver/sdk/command/command.ts',
    '    demandAsChecked(driver.code, target, command);\n',
    '',
    'unit/driver-effect',
    'is refused where the driver knows',
  ),
  breaks(
    'src/bus/effect.ts',
    '    [base, multiple, decimals],\n',
    '    [base, decimals],\n',
    'unit/driver-effect',
    'is refused where the driver knows',
  ),
  breaks(
    'src/manager/profile/deadband.ts',
    'if (deadband !== null) return deadband;',
    'if (deadband) return deadband;',
    'unit/manager-deadband',
    'spans',
  ),
  breaks(
    'src/data/command/point-command.ts',
    'if (given !== undefined && (await isRepeated(q))) return null;',
    '',
    'api/point-command',
    'answers the same id to a repeated command after its device was disabled',
  ),
  breaks(
    'src/data/command/call/call.ts',
    'if (named !== undefined && (await wasCalled(q, tenantId, recordId, given))) return null;',
    '',
    'api/command-call',
    'is the same record when it is asked for again',
  ),
];

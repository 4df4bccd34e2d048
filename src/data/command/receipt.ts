import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { App, Caller, Operation } from '../../app.ts';
import { NotFound } from '../../core/errors.ts';
import { flag, nameOf } from '../../core/input/flag.ts';
import { Id, Uuid } from '../../core/input/id.ts';
import { input } from '../../core/input/input.ts';
import { MAX_PAGE_SIZE, Page, type Paged } from '../../core/input/page.ts';
import { pageOf } from '../../db/query-page.ts';
import type { PointCommandHistoryTable } from '../../db/schema/data.ts';
import { inTenant } from '../../db/tenant.ts';
import { onCommandEnded } from './command-ended.ts';
import {
  CommandSource,
  CommandStatus,
  CommandType,
  isTerminal,
  Verification,
} from './command-state.ts';

/** What became of a command (SPEC.md, Command records); times are ISO-8601. */
export type Receipt = {
  commandId: string;
  type: keyof typeof CommandType;
  deviceId: string;
  pointId: string;
  requestValue: string | null;
  /** What was read, or what was written; null on failure. */
  responseValue: string | null;
  status: CommandStatus;
  /** What reading a write back said; NONE for reads and while the command is under way. */
  verification: keyof typeof Verification;
  readBackValue: string | null;
  errorCode: string;
  errorMessage: string;
  source: keyof typeof CommandSource;
  actionId: string | null;
  occurTime: string;
  sendTime: string | null;
  finishTime: string | null;
  expireTime: string;
};

const receiptOf = (row: Selectable<PointCommandHistoryTable>): Receipt => ({
  commandId: row.commandId,
  type: nameOf(CommandType, row.type),
  deviceId: row.deviceId,
  pointId: row.pointId,
  requestValue: row.requestValue,
  responseValue: row.responseValue,
  status: nameOf(CommandStatus, row.status),
  verification: nameOf(Verification, row.verification),
  readBackValue: row.readBackValue,
  errorCode: row.errorCode,
  errorMessage: row.errorMessage,
  source: nameOf(CommandSource, row.source),
  actionId: row.actionId,
  occurTime: row.occurTime.toISOString(),
  sendTime: row.sendTime?.toISOString() ?? null,
  finishTime: row.finishTime?.toISOString() ?? null,
  expireTime: row.expireTime.toISOString(),
});

export const ByCommandId = input({ commandId: Uuid });
type ByCommandId = z.infer<typeof ByCommandId>;

const filters = {
  deviceId: Id.optional(),
  pointId: Id.optional(),
  status: flag(CommandStatus).optional(),
  type: flag(CommandType).optional(),
};
const Flat = z.coerce.number().int().min(1);

/** `page` and `size` flat, as the reference has them here, or a page object as everywhere else. */
export const ReceiptQuery = input({
  ...filters,
  page: z.union([Page, Flat.max(1_000_000)]).default({ current: 1, size: 20 }),
  size: Flat.optional(),
}).transform(({ page: given, size = 20, ...rest }) => ({
  ...rest,
  page:
    typeof given === 'number' || given === undefined
      ? { current: given ?? 1, size: Math.min(size, MAX_PAGE_SIZE) }
      : given,
}));
type ReceiptQuery = { page: Page } & Partial<Omit<z.infer<typeof ReceiptQuery>, 'page'>>;

const POLL_MS = 250;
const MAX_WAIT_MS = 15_000;

/** Throws NotFound, also for another tenant's command. */
export const byCommandId: Operation<ByCommandId, Receipt> = (app, { tenantId }, { commandId }) =>
  inTenant(app.db, tenantId, async (q) => {
    const row = await q
      .selectFrom('svc_point_command_history')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('commandId', '=', commandId)
      .executeTakeFirst();
    if (!row) throw new NotFound('Command');
    return receiptOf(row);
  });

/** Newest first. */
export const page: Operation<ReceiptQuery, Paged<Receipt>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q
      .selectFrom('svc_point_command_history')
      .selectAll()
      .where('tenantId', '=', tenantId);
    if (given.deviceId) query = query.where('deviceId', '=', given.deviceId);
    if (given.pointId) query = query.where('pointId', '=', given.pointId);
    if (given.status !== undefined) query = query.where('status', '=', given.status);
    if (given.type !== undefined) query = query.where('type', '=', given.type);
    return pageOf(query.orderBy('occurTime', 'desc').orderBy('id', 'desc'), given.page, receiptOf);
  });

/** The receipt once the command has ended, or as it is after `waitMs` (at most 15 s). */
export async function waitForReceipt(
  app: App,
  caller: Caller,
  { commandId, waitMs }: { commandId: string; waitMs: number },
): Promise<Receipt> {
  const until = app.clock.now() + Math.min(Math.max(0, waitMs), MAX_WAIT_MS);
  for (;;) {
    const next = nextChange(app, commandId, Math.min(POLL_MS, until - app.clock.now()));
    try {
      const receipt = await byCommandId(app, caller, { commandId });
      if (isTerminal(receipt.status) || app.clock.now() >= until) return receipt;
      await next.promise;
    } finally {
      next.cancel();
    }
  }
}

/** Listens before the row is looked at, so that an end in between is not slept over. */
function nextChange(app: App, commandId: string, atMostMs: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const unlisten = onCommandEnded(app, commandId, resolve);
  const cancelTimer = app.clock.after(Math.max(1, atMostMs), resolve);
  return {
    promise,
    cancel() {
      unlisten();
      cancelTimer();
    },
  };
}

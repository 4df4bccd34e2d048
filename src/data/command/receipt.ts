import { z } from 'zod';

import { pageOf } from '../../db/query-page.ts';
import { listTotal } from '../../db/tenant-total.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { NotFound } from '../../kernel/errors.ts';
import { flag } from '../../kernel/input/flag.ts';
import { Id, Uuid } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Moment } from '../../kernel/input/moment.ts';
import { MAX_PAGE_SIZE, Page, type Paged } from '../../kernel/input/page.ts';
import { slot } from '../../kernel/slot.ts';
import { commandsOf, findReceipt, type Receipt, receiptOf } from './record.ts';
import { CommandStatus, CommandType, isTerminal } from './state.ts';

export const ByCommandId = input({ commandId: Uuid });
type ByCommandId = z.infer<typeof ByCommandId>;

const filters = {
  deviceId: Id.optional(),
  pointId: Id.optional(),
  status: flag(CommandStatus).optional(),
  type: flag(CommandType).optional(),
  from: Moment.describe('Issued then or later').optional(),
  to: Moment.describe('Issued before').optional(),
};
const Flat = z.coerce
  .number()
  .int()
  .min(1)
  .meta({ examples: [20] });

/** `page` and `size` as numbers, as existing clients send them here, or a page object as elsewhere. */
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
export const MAX_WAIT_MS = 15_000;

/** Throws NotFound, also for another tenant's command. */
export const byCommandId: Operation<ByCommandId, Receipt> = (app, { tenantId }, { commandId }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const receipt = await findReceipt(q, tenantId, commandId, app.clock.now());
    if (!receipt) throw new NotFound('Command');
    return receipt;
  });

/** Newest first. */
export const page: Operation<ReceiptQuery, Paged<Receipt>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    let query = commandsOf(q, tenantId);
    if (given.deviceId) query = query.where('c.deviceId', '=', given.deviceId);
    if (given.pointId) query = query.where('c.pointId', '=', given.pointId);
    if (given.status !== undefined) query = query.where('c.status', '=', given.status);
    if (given.type !== undefined) query = query.where('c.type', '=', given.type);
    if (given.from !== undefined) query = query.where('c.occurTime', '>=', new Date(given.from));
    if (given.to !== undefined) query = query.where('c.occurTime', '<', new Date(given.to));
    const newestFirst = query.orderBy('c.occurTime', 'desc').orderBy('c.id', 'desc');
    const total = listTotal(query, { q, tenantId, table: 'svc_point_command_history', given });
    return pageOf(newestFirst, given.page, (row) => receiptOf(row, app.clock.now()), { total });
  });

/** Waits for the end of the command, at most `waitMs` (capped at 15 s); answers the receipt as it is then. */
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
      const ended = await next.promise;
      if (ended) return ended;
    } finally {
      next.cancel();
    }
  }
}

/** Issues a new command, then waits as `waitForReceipt`: a command that ends at once needs no query more. */
export async function issueAndWait(
  app: App,
  caller: Caller,
  { commandId, waitMs }: { commandId: string; waitMs: number },
  issue: () => Promise<unknown>,
): Promise<Receipt> {
  const began = app.clock.now();
  const next = nextChange(app, commandId, Math.min(POLL_MS, waitMs));
  try {
    await issue();
    const ended = await next.promise;
    if (ended) return ended;
  } finally {
    next.cancel();
  }
  const waited = app.clock.now() - began;
  return waitForReceipt(app, caller, { commandId, waitMs: waitMs - waited });
}

/** Call before the row is read, so that an end in between is not missed. Null when the time is up. */
function nextChange(app: App, commandId: string, atMostMs: number) {
  const { promise, resolve } = Promise.withResolvers<Receipt | null>();
  const unlisten = onCommandEnded(app, commandId, resolve);
  const cancelTimer = app.clock.after(Math.max(1, atMostMs), () => resolve(null));
  return {
    promise,
    cancel() {
      unlisten();
      cancelTimer();
    },
  };
}

/** Gets the receipt, where the end of the command has read it. */
type Wake = (receipt: Receipt | null) => void;

/** Callbacks in this process that wait for the end of a command, by command id. */
export const END_WAITERS = slot(() => new Map<string, Set<Wake>>());

/** Calls `wake` when the command ends in this process; ends in other processes are found by polling. */
export function onCommandEnded(app: App, commandId: string, wake: Wake): () => void {
  const waiters = app.of(END_WAITERS);
  const wakes = waiters.get(commandId) ?? new Set();
  waiters.set(commandId, wakes.add(wake));
  return () => {
    wakes.delete(wake);
    if (wakes.size === 0 && waiters.get(commandId) === wakes) waiters.delete(commandId);
  };
}

export const isAwaited = (app: App, commandId: string): boolean =>
  app.of(END_WAITERS).has(commandId);

/** Counts a command that ended with this status; call it once, after the status is stored. */
export function countEnd({ metrics }: App, kind: 'point' | 'call', status: CommandStatus): void {
  const isPlain = status === 'SUCCESS' || status === 'FAILED' || status === 'EXPIRED';
  metrics.add('svc_commands_total', { kind, outcome: isPlain ? status : 'UNKNOWN' });
}

export function commandEnded(app: App, commandId: string, receipt: Receipt | null = null): void {
  for (const wake of app.of(END_WAITERS).get(commandId) ?? []) wake(receipt);
}

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { headOf } from '../../kernel/feed/change.ts';
import { watch } from '../../kernel/feed/watch.ts';
import { type ActionView, requireAction, viewOf } from './view.ts';

type Awaited = { actionId: string; waitMs: number; signal?: AbortSignal | undefined };

/**
 * The action, if it can still change as it is after its next change: the decision, the end of its command, or a
 * reading after an UNKNOWN end. Waits at most `waitMs`. Throws NotFound, TooManyRequests.
 */
export const afterNextChange: Operation<Awaited, ActionView> = async (app, caller, given) => {
  const { actionId, waitMs, signal } = given;
  const endsAt = app.clock.now() + waitMs;
  const look = () =>
    inOneTrip(app.db, caller.tenantId, async (q) => {
      const [place, row] = await Promise.all([
        waitMs > 0 ? headOf(q, caller.tenantId) : '0',
        requireAction(q, caller.tenantId, actionId),
      ]);
      return { place, view: viewOf(row, app.clock.now()) };
    });
  if (waitMs === 0) return (await look()).view;
  const watching = watch(app, caller, (change) => change.actionId === actionId, signal);
  try {
    const first = await look();
    for (let { place, view } = first; ; { place, view } = await look()) {
      const restMs = endsAt - app.clock.now();
      const isNews = factsOf(view) !== factsOf(first.view) && view.status !== 'CONFIRMED';
      if (isNews || !canChange(view) || restMs <= 0 || watching.isOver()) return view;
      const untilExpiryMs = Date.parse(view.expiresAt) - app.clock.now();
      const waits = view.pendingConfirmation ? Math.min(restMs, untilExpiryMs + 1) : restMs;
      await watching.next(place, Math.max(1, waits));
    }
  } finally {
    watching.stop();
  }
};

const canChange = ({ pendingConfirmation, status, kind, command }: ActionView): boolean =>
  pendingConfirmation ||
  status === 'CONFIRMED' ||
  // A device of a roll-out may still say that it runs the version.
  (kind === 'firmware' && status === 'UNKNOWN') ||
  (command?.openUntil ?? null) !== null;

/** Without the sentence, which also says how old a value is. */
const factsOf = ({ status, digest, command }: ActionView): string =>
  JSON.stringify([status, digest, command]);

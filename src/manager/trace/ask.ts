import { randomUUID } from 'node:crypto';

import { BusFull, BusUnavailable, Unconfirmed, Unroutable } from '../../bus/bus.ts';
import { nodeKey, type Payload } from '../../bus/topic/topics.ts';
import { relyingOn } from '../../db/basis.ts';
import type { App } from '../../kernel/app/app.ts';
import { TooManyRequests, Unavailable } from '../../kernel/errors.ts';
import { slot } from '../../kernel/slot.ts';

const ANSWER_MS = 5_000;
const MAX_ASKED = 200;
const MAX_OF_TENANT = 10;
const PREFETCH = 16;

type Answer = Payload<'svc.e.trace'>;
type Asked = { tenantId: string; take(answer: Answer): void };
type State = {
  replyKey: string;
  /** By the id of the request. */
  waiting: Map<string, Asked>;
  listening: Promise<unknown> | null;
};

const ASKED_TRACES = slot((): State => ({
  replyKey: randomUUID(),
  waiting: new Map(),
  listening: null,
}));

type Device = {
  tenantId: string;
  deviceId: string;
  driverCode: string;
  /** The node that serves the device; empty: any of the driver. */
  node: string;
};

/** Asks the driver of a device for its last exchanges, 5 s at most. Throws Unavailable and TooManyRequests. */
export async function askTrace(app: App, device: Device): Promise<Answer> {
  const { tenantId, deviceId, driverCode, node } = device;
  const { waiting, replyKey } = app.of(ASKED_TRACES);
  const own = [...waiting.values()].filter((one) => one.tenantId === tenantId).length;
  if (waiting.size >= MAX_ASKED || own >= MAX_OF_TENANT)
    throw new TooManyRequests('Too many traces are asked for at once', 1);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const requestId = randomUUID();
  waiting.set(requestId, { tenantId, take: resolve });
  const cancel = app.clock.after(ANSWER_MS, () =>
    reject(new Unavailable('The driver of the device did not answer in time')),
  );
  const sent = async (): Promise<Answer> => {
    await listen(app);
    await app.bus.publish(
      'svc.e.trace_request',
      { requestId, tenantId, deviceId, replyKey },
      {
        key: node === '' ? driverCode : nodeKey(driverCode, node),
        ttlMs: ANSWER_MS,
        mandatory: true,
        urgent: true,
      },
    );
    return promise;
  };
  try {
    // A broker that is away may hold the request for longer than a person waits.
    return await Promise.race([sent(), promise]);
  } catch (error) {
    throw reasonOf(error);
  } finally {
    cancel();
    waiting.delete(requestId);
  }
}

function reasonOf(error: unknown): unknown {
  if (error instanceof Unroutable)
    return new Unavailable('The driver of the device does not run now', error);
  const isBus =
    error instanceof BusUnavailable || error instanceof BusFull || error instanceof Unconfirmed;
  return isBus ? new Unavailable('The message bus is not there now', error) : error;
}

/** Begins to take answers, once in a process; not on behalf of the call that is the first. */
async function listen(app: App): Promise<void> {
  const state = app.of(ASKED_TRACES);
  const { replyKey, waiting } = state;
  state.listening ??= relyingOn(null, () =>
    app.bus.subscribe(
      'svc.e.trace',
      { queue: `svc.q.trace.${replyKey}`, key: replyKey, prefetch: PREFETCH },
      async (answer) => waiting.get(answer.requestId)?.take(answer),
    ),
  );
  try {
    await state.listening;
  } catch (error) {
    state.listening = null;
    throw new Unavailable('The message bus is not there now', error);
  }
}

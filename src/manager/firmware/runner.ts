import type { App } from '../../kernel/app/app.ts';
import { answerRequest, takeReport } from './driver-word.ts';
import { handOut } from './task.ts';
import { moveRollouts } from './wave.ts';

const EVERY_MS = 1_000;
/** Portions in the making; each holds its bytes in memory. */
const MAX_PORTIONS = 4;

/** Moves roll-outs on and exchanges with drivers about their updates, until stopped. Several processes may do so. */
export async function startFirmware(app: App): Promise<{ stop(): Promise<void> }> {
  const reports = await app.bus.subscribe(
    'svc.e.firmware_report',
    { queue: 'svc.q.firmware_report', key: '#' },
    (report) => takeReport(app, report),
  );
  const requests = await app.bus.subscribe(
    'svc.e.firmware_request',
    { queue: 'svc.q.firmware_request', key: '#', prefetch: MAX_PORTIONS },
    (request) =>
      answerRequest(app, request).catch((error: unknown) => {
        // The driver asks again.
        app.log.warn({ error, updateId: request.updateId }, 'bytes of a package were not sent');
      }),
  );
  let running = Promise.resolve();
  const cancel = app.clock.every(EVERY_MS, () => {
    running = round(app);
    return running;
  });
  return {
    async stop() {
      cancel();
      await running;
      await requests.cancel();
      await reports.cancel();
    },
  };
}

/** Never throws: the next round repeats what failed. */
async function round(app: App): Promise<void> {
  try {
    await moveRollouts(app);
    await handOut(app);
  } catch (error) {
    app.log.warn({ error }, 'roll-outs of firmware were not moved on, retrying');
  }
}

import { createHash, randomUUID } from 'node:crypto';

import type { Bus } from '../../../src/bus/bus.ts';
import { MAX_PORTION_BYTES } from '../../../src/bus/topic/firmware-topics.ts';
import { nodeKey, type Payload } from '../../../src/bus/topic/topics.ts';
import { type Clock, systemClock } from '../../../src/kernel/clock.ts';

type Report = Payload<'svc.e.firmware_report'>;
type Task = Payload<'svc.e.firmware'>;

const AGAIN_MS = 500;
const driverCode = 'Lwm2mDriver';

/** What the LwM2M driver sees of the center in one update: the task, again and again, and the bytes. */
export function openFirmwareUpdate(
  image: Buffer,
  {
    version,
    uri = '',
    minutes = 5,
    clock = systemClock,
    mayBegin = () => true,
  }: { version: string; uri?: string; minutes?: number; clock?: Clock; mayBegin?: () => boolean },
) {
  const updateId = randomUUID();
  const reports: Report[] = [];
  const ended = Promise.withResolvers<Report>();
  const corrected = Promise.withResolvers<Report>();
  const due = clock.now() + minutes * 60_000;

  function taskOf(last: Report | undefined): Task {
    const known = last ?? {
      phase: 'BEGUN' as const,
      versionBefore: null,
      pushes: 0,
      executions: 0,
      answer: 'NONE' as const,
      session: '',
      resultBefore: null,
    };
    const { phase, versionBefore, pushes, executions, answer, session, resultBefore } = known;
    return {
      updateId,
      tenantId: '1',
      deviceId: '1',
      packageId: '1',
      packageVersion: version,
      size: image.length,
      sha256: createHash('sha256').update(image).digest('hex'),
      packageUri: uri,
      phase,
      versionBefore,
      pushes,
      executions,
      answer,
      session,
      resultBefore,
      hasEnded: reports.some(({ end }) => end !== null),
      remainingMs: Math.max(1, due - clock.now()),
    };
  }

  /** Until the returned function is called; once the update has ended, it is handed out to be looked at. */
  async function follow(bus: Bus): Promise<() => Promise<void>> {
    const told = await bus.subscribe(
      'svc.e.firmware_report',
      { queue: `test.report.${randomUUID()}`, key: '#' },
      async (report) => {
        const [over] = reports.filter(({ end }) => end !== null);
        reports.push(report);
        // A driver that was slow to hear that its word was taken says it once more.
        if (report.end === null || report.end === over?.end) return;
        (over ? corrected : ended).resolve(report);
      },
    );
    const asked = await bus.subscribe(
      'svc.e.firmware_request',
      { queue: `test.request.${randomUUID()}`, key: '#' },
      async ({ node, asks, offset }) => {
        const key = nodeKey(driverCode, node);
        if (asks === 'begin') {
          const answer = { updateId, offset, bytes: '', mayBegin: mayBegin() };
          await bus.publish('svc.e.firmware_portion', answer, { key });
          return;
        }
        const bytes = image.subarray(offset, offset + MAX_PORTION_BYTES).toString('base64');
        const portion = { updateId, offset, bytes, mayBegin: null };
        await bus.publish('svc.e.firmware_portion', portion, { key });
      },
    );
    const send = () => {
      const key = nodeKey(driverCode, 'n1');
      void bus.publish('svc.e.firmware', taskOf(reports.at(-1)), { key }).catch(() => {});
    };
    send();
    const timer = setInterval(send, AGAIN_MS);
    return async () => {
      clearInterval(timer);
      await told.cancel();
      await asked.cancel();
    };
  }

  return { reports, ended: ended.promise, corrected: corrected.promise, follow };
}

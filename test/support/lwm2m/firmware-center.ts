import { createHash, randomUUID } from 'node:crypto';

import type { Bus } from '../../../src/bus/bus.ts';
import { MAX_PORTION_BYTES } from '../../../src/bus/firmware-topics.ts';
import { nodeKey, type Payload } from '../../../src/bus/topics.ts';

type Report = Payload<'svc.e.firmware_report'>;

const AGAIN_MS = 500;
const driverCode = 'Lwm2mDriver';

/** What the LwM2M driver sees of the center in one update: the task, again and again, and the bytes. */
export function openFirmwareUpdate(
  image: Buffer,
  { version, uri = '', minutes = 5 }: { version: string; uri?: string; minutes?: number },
) {
  const updateId = randomUUID();
  const reports: Report[] = [];
  const ended = Promise.withResolvers<Report>();
  const due = Date.now() + minutes * 60_000;

  /** Until the update has ended or the returned function is called. */
  async function follow(bus: Bus): Promise<() => Promise<void>> {
    const told = await bus.subscribe(
      'svc.e.firmware_report',
      { queue: `test.report.${randomUUID()}`, key: '#' },
      async (report) => {
        reports.push(report);
        if (report.end) ended.resolve(report);
      },
    );
    const asked = await bus.subscribe(
      'svc.e.firmware_request',
      { queue: `test.request.${randomUUID()}`, key: '#' },
      async ({ node, offset }) => {
        const bytes = image.subarray(offset, offset + MAX_PORTION_BYTES).toString('base64');
        const key = nodeKey(driverCode, node);
        await bus.publish('svc.e.firmware_portion', { updateId, offset, bytes }, { key });
      },
    );
    const send = () => {
      const { phase, versionBefore, pushes, executions } = reports.at(-1) ?? {
        phase: 'BEGUN' as const,
        versionBefore: null,
        pushes: 0,
        executions: 0,
      };
      const task = {
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
        remainingMs: Math.max(1, due - Date.now()),
      };
      void bus.publish('svc.e.firmware', task, { key: nodeKey(driverCode, 'n1') }).catch(() => {});
    };
    send();
    const timer = setInterval(send, AGAIN_MS);
    return async () => {
      clearInterval(timer);
      await told.cancel();
      await asked.cancel();
    };
  }

  return { reports, ended: ended.promise, follow };
}

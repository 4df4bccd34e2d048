import type { App } from '../kernel/app/app.ts';
import { startSweeper } from '../kernel/app/sweeper.ts';
import { beginCounting } from './deliver/count-delivery.ts';
import { startDispatch } from './deliver/dispatch.ts';
import { startLedger } from './ledger/loop.ts';
import { startEventRules } from './watch/events.ts';
import { startIdentityNotices } from './watch/identity.ts';
import { startAlarmReports } from './watch/reports.ts';
import { createScan } from './watch/scan.ts';
import { startValueRules } from './watch/values.ts';

type Part = { stop(): Promise<void> };

/** docs/specification/drivers.md, Device health check. */
const SCAN_MS = 15_000;

/** Starts the consumers and scans of the alarm center; they run with the data center. */
export async function startAlarms(app: App): Promise<Part> {
  beginCounting(app);
  const parts: Part[] = [
    await startDispatch(app),
    await startValueRules(app),
    await startEventRules(app),
    await startAlarmReports(app),
    await startIdentityNotices(app),
    startLedger(app),
    startScans(app),
  ];
  return {
    async stop() {
      for (const part of parts.toReversed()) await part.stop();
    },
  };
}

function startScans(app: App): Part {
  const scan = createScan(app);
  return startSweeper(
    app,
    { everyMs: SCAN_MS, failed: 'the scan for outages and silence failed' },
    scan,
  );
}

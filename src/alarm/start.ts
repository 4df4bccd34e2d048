import type { App } from '../app.ts';
import { startAlarmReports } from './alarm-reports.ts';
import { startDispatch } from './dispatch/start.ts';
import { scanOutages } from './outage.ts';
import { startEventRules } from './rule/event-rules.ts';
import { startValueRules } from './rule/value-rules.ts';
import { scanSilence } from './silence.ts';

type Part = { stop(): Promise<void> };

/** SPEC.md, Limits: health check every 15 s, lease timeout 45 s. */
const SCAN_MS = 15_000;
const LEASE_MS = 45_000;

/** The alarm center's consumers and scans, which run where the data center runs. */
export async function startAlarms(app: App): Promise<Part> {
  const parts: Part[] = [
    await startDispatch(app),
    await startValueRules(app),
    await startEventRules(app),
    await startAlarmReports(app),
    startScans(app),
  ];
  return {
    async stop() {
      for (const part of parts.toReversed()) await part.stop();
    },
  };
}

function startScans(app: App): Part {
  const startedAt = app.clock.now();
  const scan = async (): Promise<void> => {
    // A platform that was down has heard nobody: everybody gets the time of a lease to be heard.
    if (app.clock.now() - startedAt >= LEASE_MS) await scanOutages(app);
    await scanSilence(app, startedAt);
  };
  let running = Promise.resolve();
  const cancel = app.clock.every(SCAN_MS, () => {
    running = scan().catch((error: unknown) => {
      app.log.error({ error }, 'the scan for outages and silence failed');
    });
    return running;
  });
  return {
    async stop() {
      cancel();
      await running;
    },
  };
}

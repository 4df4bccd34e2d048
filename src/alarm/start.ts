import type { App } from '../app.ts';
import { startEventRules } from './event-rules.ts';
import { startValueRules } from './value-rules.ts';

type Part = { stop(): Promise<void> };

/** The alarm center's consumers and scans, which run where the data center runs. */
export async function startAlarms(app: App): Promise<Part> {
  const parts: Part[] = [await startValueRules(app), await startEventRules(app)];
  return {
    async stop() {
      for (const part of parts.toReversed()) await part.stop();
    },
  };
}

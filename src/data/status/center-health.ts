import { z } from 'zod';

import type { App } from '../../kernel/app/app.ts';
import { type Center, CENTERS } from '../../kernel/process/layout.ts';
import { request } from '../../kernel/request/http.ts';

const PROBE_MS = 1_000;

const Reach = z
  .enum(['up', 'down', 'unknown'])
  .describe('unknown: it runs in another process and its SVC_…_URL is not set');
type Reach = z.output<typeof Reach>;

export const CenterHealth = z.record(z.enum(CENTERS), Reach);

/**
 * Each center as this process sees it: `up` in this process, else by the answer of its `/healthz` within a
 * second.
 */
export async function centerHealth({ config }: App): Promise<z.output<typeof CenterHealth>> {
  const reach = async (center: Center): Promise<Reach> => {
    if (config.services.has(center)) return 'up';
    const { url } = config.centers[center];
    return url === null ? 'unknown' : probe(url);
  };
  const [auth, manager, data, agentic] = await Promise.all(CENTERS.map(reach));
  return {
    auth: auth ?? 'unknown',
    manager: manager ?? 'unknown',
    data: data ?? 'unknown',
    agentic: agentic ?? 'unknown',
  };
}

/** The address is the operator's own setting, so it needs no egress guard. */
const probe = (url: string): Promise<Reach> =>
  new Promise((resolve) => {
    const asked = request(`${url}/healthz`, { timeout: PROBE_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === 200 ? 'up' : 'down');
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve('down'));
    asked.end();
  });

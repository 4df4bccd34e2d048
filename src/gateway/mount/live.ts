import { Router } from 'express';

import type { App } from '../../kernel/app/app.ts';
import { AppError } from '../../kernel/errors.ts';
import { AskedLive } from '../../live/asked.ts';
import { live } from '../../live/live.ts';
import { callerOf, type Identify } from '../middleware/authenticate.ts';
import { admission, admitting } from './mount.ts';

export const LIVE_PATH = '/api/v3/data/live';
/** Each event needs the permission to read what it tells (src/live/first-state.ts). */
const LIVE = { needs: 'authenticated', scope: 'svc:read' } as const;

/**
 * The stream of what a page shows. By the gateway in every layout: a stream ends with its credential, which no other
 * process sees.
 */
export function liveStream(app: App, identify: Identify): Router {
  const admit = admission(app, 'data', LIVE, identify);
  return Router()
    .head(LIVE_PATH, onlyGet)
    .get(LIVE_PATH, admitting(admit), async (req, res) => {
      // A client that lost its connection sends the last id beside the address that it asked first.
      const cursor = req.get('last-event-id') || req.query['cursor'];
      const asked = AskedLive.parse({ ...req.query, cursor });
      await live(app, { caller: callerOf(res), again: () => admit(req, res) }, asked, res);
    })
    .all(LIVE_PATH, onlyGet);
}

function onlyGet(_req: unknown, res: { setHeader(name: string, value: string): unknown }): never {
  res.setHeader('allow', 'GET');
  throw new AppError(405, 'R405', 'Only GET here');
}

import express, { type Express } from 'express';

import type { App } from '../../kernel/app/app.ts';
import { securityHeaders } from '../middleware/security-headers.ts';
import { health } from './health.ts';

/** HTTP server of a process with drivers only: health, no other route. */
export const createDriverHealth = (
  process: Pick<App, 'clock' | 'log' | 'metrics' | 'bus' | 'config'>,
  unregistered: () => string[],
): Express =>
  express()
    .disable('x-powered-by')
    .disable('etag')
    .use(securityHeaders(process), health(process, unregistered));

import type { App } from '../../../src/kernel/app/app.ts';
import {
  collectOldGenerationSooner,
  letYoungGenerationGrow,
} from '../../../src/kernel/process/v8-flags.ts';
import { startPlatform } from '../../../src/start/platform.ts';
import { login } from '../../support/people/session.ts';
import { testEnvironment } from '../../support/world/environment.ts';
import { serviceAccountTokens } from './service-account.ts';
import { measuredSettings } from './settings.ts';

/** The resource a token is for, below the platform's URL. */
type Resource = '/mcp' | '/api/v3';

/**
 * The whole platform in this process, as `serve` starts it, on the database that the environment names, with
 * the tokens of new service accounts. SIGTERM stops it.
 */
export async function measuredPlatform(
  resource: Resource,
  accounts: number,
): Promise<{ app: App; url: string; tokens: string[] }> {
  const { app, stop } = await startPlatform(measuredSettings());
  letYoungGenerationGrow();
  collectOldGenerationSooner();
  process.once('SIGTERM', () => void stop().then(() => process.exit()));
  const url = app.config.baseUrl;
  const admin = await login(url, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
  return { app, url, tokens: await serviceAccountTokens(admin, `${url}${resource}`, accounts) };
}

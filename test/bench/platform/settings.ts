import { setV8Flags } from '../../../src/kernel/process/v8-flags.ts';
import { readSettings, type Settings } from '../../../src/start/settings.ts';
import { testEnvironment } from '../../support/world/environment.ts';

// What src/main.ts begins with.
setV8Flags();

/** Of a platform that is measured: the database and the vendor of its chat are the caller's choice. */
export const measuredSettings = (): Settings =>
  readSettings({
    ...testEnvironment,
    SVC_DEMO: 'off',
    SVC_LOG_LEVEL: 'info', // what an operator runs with: a line per call is part of its cost
    SVC_DATA_DIR: process.env['SVC_DATA_DIR'],
    DATABASE_URL: process.env['DATABASE_URL'],
    AGENTIC_FALLBACK_OPENAI_BASE_URL: process.env['AGENTIC_FALLBACK_OPENAI_BASE_URL'],
    AGENTIC_FALLBACK_OPENAI_API_KEY: process.env['AGENTIC_FALLBACK_OPENAI_API_KEY'],
    AGENTIC_FALLBACK_OPENAI_MODEL: process.env['AGENTIC_FALLBACK_OPENAI_MODEL'],
  });

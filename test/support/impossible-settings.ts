const port = ['-1', '65536', '1.5', 'sesame', '80 81', '0x', 'NaN'];
const url = ['sesame', 'ftp://sesame@host', 'http//host', '//host'];
const word = ['yes', '1', 'TRUE', 'On', 'sesame'];
const size = ['0', '-1', '2.5', 'sesame', '1e9', 'Infinity'];
const secret = { SVC_SECRET_KEY: 'k'.repeat(32) };

/**
 * By variable what it cannot be: values, or whole environments where it depends on others. Empty for
 * variables that may be any text; whether a path or a host is there shows at the start.
 */
export const impossible: Record<string, readonly (string | Record<string, string>)[]> = {
  SVC_ENV: ['prod', 'production', 'Dev', 'sesame'],
  NODE_ENV: [],
  SVC_HOST: [],
  SVC_PORT: port,
  DC3_GATEWAY_PORT: port,
  SVC_BASE_URL: url,
  SVC_DATA_DIR: [],
  DATABASE_URL: ['mysql://u:sesame@host/db', 'sesame', 'http://u:sesame@host'],
  AMQP_URL: ['mqtt://u:sesame@host', 'sesame', 'http://u:sesame@host'],
  SVC_BUS_PREFIX: ['a b', '.svc', 'svc.e', 'ä', 'x'.repeat(64)],
  SVC_ROLES: ['gatway', 'auth,,data', 'AUTH', 'all,auth', ','],
  SVC_AUTH_PORT: port,
  SVC_MANAGER_PORT: port,
  SVC_DATA_PORT: port,
  SVC_AGENTIC_PORT: port,
  SVC_AUTH_URL: url,
  SVC_MANAGER_URL: url,
  SVC_DATA_URL: url,
  SVC_AGENTIC_URL: url,
  SVC_NODE: ['a b', '../x', 'x'.repeat(65)],
  SVC_SECRET_KEY: ['sesame', 'sesame'.repeat(5)],
  AUTH_HMAC_SECRET: ['   ', 'svc-default-hmac-secret'].map((AUTH_HMAC_SECRET) => ({
    ...secret,
    SVC_ENV: 'pro',
    AUTH_HMAC_SECRET,
  })),
  SVC_AUTH_HMAC_SECRET: ['   ', 'svc-default-hmac-secret'].map((SVC_AUTH_HMAC_SECRET) => ({
    ...secret,
    SVC_ENV: 'pre',
    SVC_AUTH_HMAC_SECRET,
  })),
  SVC_ADMIN_LOGIN: ['a', 'a b', '-admin', 'x'.repeat(40), 'ädmin'],
  SVC_ADMIN_PASSWORD: ['sesame', 'x'.repeat(1_025)],
  SVC_PASSWORD_EXPIRE_DAYS: ['-1', '1.5', '3651', 'never'],
  SVC_DEMO: word,
  SVC_SWAGGER: word,
  SVC_LOG_LEVEL: ['trace', 'INFO', '3'],
  SVC_EGRESS_ALLOW: [
    'host',
    'http://host:80',
    'host:',
    'host:port',
    '::1:80',
    ',',
    'a:1,,b:2',
    'host:99999',
    '999.1.1.1:80',
  ],
  SVC_SMTP_URL: [
    'http://u:sesame@host',
    'sesame',
    'smtp//u:sesame@host',
    'smtp://u:sesame@host?tls=maybe',
    { SVC_SMTP_URL: 'smtp://u:sesame@host' },
  ],
  SVC_MAIL_FROM: ['nobody', 'a@', '@b.test', 'a b@c.test'],
  LWM2M_HOST: [],
  LWM2M_PORT: port,
  LWM2M_SECURE_PORT: port,
  AGENTIC_TOOL_CALLING_ENABLED: word,
  SVC_AGENTIC_HISTORY_WINDOW_SIZE: [...size, '201'],
  AGENTIC_HISTORY_WINDOW_SIZE: [...size, '201'],
  AGENTIC_MEMORY_ENABLED: word,
  AGENTIC_MEMORY_MAX_MESSAGES: [...size, '501'],
  AGENTIC_MEMORY_SCHEMA_INIT: ['Always', 'true', 'create', 'embedded'],
  AGENTIC_ATTACHMENT_STORAGE_PATH: [],
  AGENTIC_FALLBACK_OPENAI_BASE_URL: url,
  AGENTIC_FALLBACK_OPENAI_API_KEY: ['sesame sesame', 'sesame\n', 'sésame-key'],
  AGENTIC_FALLBACK_OPENAI_MODEL: [],
  AGENTIC_FALLBACK_OPENAI_TEMPERATURE: ['-0.1', '2.1', 'hot', 'NaN', 'Infinity'],
  AGENTIC_FALLBACK_OPENAI_MAX_TOKENS: [...size, '1000001'],
  SVC_CRASH_AT: ['Ingest', 'ingest:0', 'ingest:', 'in gest', { SVC_ENV: 'dev', SVC_CRASH_AT: 'x' }],
};

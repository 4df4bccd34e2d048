const NO_BUDGET = 'calls=none,deviceReads=none,proposals=none,outputTokens=none';

/** A schedule that does not come while tests run. */
export const NO_READS = '0 0 0 1 1 ?';

/** The environment of every platform a test starts; ports are the system's choice. */
export const testEnvironment = {
  SVC_ENV: 'test',
  SVC_PORT: '0',
  SVC_HOST: '127.0.0.1',
  SVC_DRIVER_PORT: '0',
  // A value that a driver reads in the middle of a test would be another current value.
  SVC_DRIVER_READ_CRON: NO_READS,
  LWM2M_HOST: '127.0.0.1',
  LWM2M_PORT: '0',
  // Not the port after one that a test chose, which may be taken.
  LWM2M_SECURE_PORT: '0',
  SVC_SECRET_KEY: 'test-secret-key-0123456789-0123456789',
  AUTH_HMAC_SECRET: 'test-hmac-secret',
  SVC_ADMIN_PASSWORD: 'correct horse 42',
  // Tests and measurements call more than an agent does in an hour.
  SVC_AGENT_CONNECTION_BUDGET: NO_BUDGET,
  SVC_AGENT_PRINCIPAL_BUDGET: NO_BUDGET,
  SVC_AGENT_REPEATS: '1000000',
  // Tests read the rows that they store; those of closed hours say so.
  SVC_HISTORY_CLOSE_HOURS: '0',
  SVC_KEY_CALLS: '0',
  SVC_TENANT_CALLS: '0',
  SVC_LOG_LEVEL: process.env['SVC_LOG_LEVEL'] ?? 'silent',
};

import type { DriverSettings } from '../../driver/environment.ts';
import { drivers, named } from '../../driver/index.ts';
import { loadPackage } from '../../driver/package/load.ts';
import type { Driver, Place } from '../../driver/sdk/driver.ts';
import { type RunningDriver, startDriver } from '../../driver/sdk/host/host.ts';
import { tools } from '../../tools/index.ts';
import { prompts } from '../../tools/prompts.ts';
import { resources } from '../../tools/resource/index.ts';
import { skills } from '../../tools/skills.ts';
import { tasks } from '../../tools/task.ts';
import { startAttachmentSweeper } from '../agentic/attachment/sweeper.ts';
import { endRecordings } from '../agentic/chat/answer/recording/recording.ts';
import { startRelaySweeper } from '../agentic/chat/answer/recording/relay.ts';
import { oldConversations } from '../agentic/chat/removal.ts';
import { startActionSweeper } from '../agentic/decision/sweeper.ts';
import { startLostTurnSweeper } from '../agentic/session/lost-turn.ts';
import { oldAlarms, oldNotifications } from '../alarm/old-records.ts';
import { startAlarms } from '../alarm/start.ts';
import { withoutBreak } from '../alarm/watch/held.ts';
import { usageWritten } from '../auth/agent/usage-store.ts';
import { startNoticeSweeper } from '../auth/audit/identity-event.ts';
import { refusalsWritten } from '../auth/audit/refusal.ts';
import { startAuditSealer } from '../auth/audit/seal.ts';
import { mcpCallsWritten } from '../auth/connection/audit.ts';
import { refreshCatalog } from '../auth/connection/tool.ts';
import { loginFailuresWritten } from '../auth/login/failure.ts';
import { registerApis } from '../auth/rights/api.ts';
import { type FirstPassword, registerResources, seed } from '../auth/seed.ts';
import { createDeadLetterStore } from '../data/dashboard/dead-letter-store.ts';
import { startCloser } from '../data/history/close/closer.ts';
import { startEventReports } from '../data/ingest/event-report.ts';
import { startIngest } from '../data/ingest/ingest.ts';
import { oldEvents } from '../data/ingest/old-events.ts';
import { startCommandResults } from '../data/result/results.ts';
import { startRecordRetention } from '../data/retention/records.ts';
import { startRetention } from '../data/retention/sweeper.ts';
import { centers, permissionCodes } from '../gateway/mount/centers.ts';
import type { App } from '../kernel/app/app.ts';
import { startFeedSweeper } from '../kernel/feed/sweeper.ts';
import { ConfigError } from '../kernel/process/config.ts';
import { DRIVERS, PACKAGES } from '../kernel/process/layout.ts';
import { startFirmware } from '../manager/firmware/runner.ts';
import { startDriverRegistry } from '../manager/presence/registry.ts';
import { startRegistered } from '../manager/registration/store.ts';
import { startDeviceImports } from '../manager/table/import-runner.ts';
import { startTotalSweeper } from '../manager/total-sweeper.ts';
import type { FirstLogin } from './first-login.ts';
import type { Parts } from './parts.ts';

/** Starts the consumers and sweepers of the centers that run here. */
export async function startCenters(app: App, parts: Parts): Promise<void> {
  const { services } = app.config;
  // Stopped last of all: what the others write at their end is sealed too.
  if (services.has('auth')) parts.add(startAuditSealer(app));
  // Stopped after the ports and before the database: pending audit rows are still written.
  parts.add({ stop: () => refusalsWritten(app) });
  parts.add({ stop: () => mcpCallsWritten(app) });
  parts.add({ stop: () => usageWritten(app) });
  app.bus.keepDeadIn(createDeadLetterStore(app));
  if (services.has('data')) {
    parts.add(await startIngest(app, withoutBreak('value')));
    parts.add(await startCommandResults(app));
    parts.add(await startEventReports(app));
    parts.add(await startAlarms(app));
    parts.add(startFeedSweeper(app));
    parts.add(startCloser(app));
    parts.add(startRetention(app));
    parts.add(startRecordRetention(app, [oldAlarms, oldNotifications, oldEvents]));
  }
  if (services.has('agentic')) {
    parts.add(startActionSweeper(app));
    parts.add(startLostTurnSweeper(app));
    parts.add(startRelaySweeper(app));
    parts.add(await startAttachmentSweeper(app));
    parts.add(startRecordRetention(app, [oldConversations]));
    parts.add({ stop: () => endRecordings(app) });
  }
  if (services.has('manager')) {
    parts.add(await startDriverRegistry(app, withoutBreak('state')));
    parts.add(await startRegistered(app));
    parts.add(startTotalSweeper(app));
    parts.add(startDeviceImports(app));
    parts.add(await startFirmware(app));
  }
  // Stopped after the ports and before the consumers: both publish, and an in-process bus waits until that is handled.
  if (services.has('auth')) parts.add(startNoticeSweeper(app));
  parts.add({ stop: () => loginFailuresWritten(app) });
}

/** Writes the data that an auth center needs to answer and drivers need to register. */
export async function seedAuth(app: App, prepared?: FirstPassword): Promise<FirstLogin> {
  if (!app.config.services.has('auth')) return null;
  const firstLogin = await seed(app, prepared);
  await registerResources(app, permissionCodes());
  await registerApis(app, centers);
  await refreshCatalog(app);
  return firstLogin;
}

/** All dependencies of a driver: no database, no keys. */
export type DriverProcess = Pick<App, 'config' | 'clock' | 'log' | 'metrics' | 'bus' | 'crashAt'>;

export type Drivers = {
  /** Where the drivers here listen. */
  listening: readonly Place[];
  /** Codes of the drivers here that are not registered yet. */
  unregistered(): string[];
};

/** Starts the drivers of this process's services. */
export async function startDrivers(
  { clock, log, metrics, bus, config, crashAt }: DriverProcess,
  settings: DriverSettings,
  parts: Parts,
): Promise<Drivers> {
  const { services, dataDir, node } = config;
  const running: { driver: Driver; host: RunningDriver }[] = [];
  const makers: (() => Driver | Promise<Driver>)[] = DRIVERS.filter((service) =>
    services.has(service),
  ).map((name) => () => drivers[name].create({ clock, log, dataDir, settings }));
  if (services.has(PACKAGES))
    for (const name of settings.SVC_DRIVERS) {
      const own = named.get(name);
      const context = { clock, log, dataDir };
      if (own) {
        const { egressAllow } = config;
        makers.push(() => own.create({ ...context, egressAllow, settings }));
        continue;
      }
      const create = await loadPackage(name, settings.SVC_DRIVERS_DIR);
      makers.push(() => create(context));
    }
  for (const make of makers) {
    const made = await make();
    if (running.some(({ driver: { code } }) => code === made.code))
      throw new ConfigError(`two drivers have the code ${made.code}`);
    const driver = { ...made, readCron: settings.SVC_DRIVER_READ_CRON ?? made.readCron };
    const host = await startDriver(driver, {
      bus,
      clock,
      log,
      metrics,
      node,
      dataDir,
      // A bus within the process is never unavailable.
      spoolBytes: config.bus.amqpUrl === null ? 0 : settings.SVC_DRIVER_SPOOL_MB * 1024 ** 2,
      crash: crashAt,
    });
    running.push({ driver, host: parts.add(host) });
  }
  return {
    listening: running.flatMap(({ driver }) => driver.listening?.() ?? []),
    unregistered: () =>
      running.flatMap(({ driver, host }) => (host.registered() ? [] : [driver.code])),
  };
}

/** All that agents are offered. */
export const registry: Pick<App, 'tools' | 'resources' | 'prompts' | 'skills' | 'tasks'> = {
  tools,
  resources,
  prompts,
  skills,
  tasks,
};

import { waitingActions } from '../agentic/action/search.ts';
import { unnotifiedChannels } from '../alarm/ledger/loop.ts';
import type { App } from '../kernel/app/app.ts';
import { diskRoom } from '../kernel/app/disk-room.ts';
import type { DriverProcess } from './services.ts';

/** What is looked at when somebody reads the figures, by the services of this process. */
export function startGauges(app: App): void {
  const { metrics, db, config, bus } = app;
  measureBus(app);
  metrics.gauge('svc_database_connections', () => {
    const { busy, idle } = db.load();
    return [
      { labels: { state: 'busy' as const }, value: busy },
      { labels: { state: 'idle' as const }, value: idle },
    ];
  });
  metrics.gauge('svc_disk_free_bytes', async () => {
    const room = await diskRoom(app);
    return room ? [{ labels: {}, value: room.freeBytes }] : [];
  });
  metrics.gauge('svc_database_waiting', () => [{ labels: {}, value: db.load().waiting }]);
  if (config.services.has('data')) {
    metrics.gauge('svc_bus_dead_letters', async () => {
      const { total } = await bus.dead.list(0);
      return [{ labels: {}, value: total }];
    });
    metrics.gauge('svc_channels_unnotified', () => [
      { labels: {}, value: unnotifiedChannels(app) },
    ]);
  }
  if (config.services.has('agentic'))
    metrics.gauge('svc_actions_waiting', async () => [
      { labels: {}, value: await waitingActions(app) },
    ]);
}

/** The figures of the bus, which every process has. */
export function measureBus({ metrics, bus }: Pick<DriverProcess, 'metrics' | 'bus'>): void {
  metrics.gauge('svc_bus_up', () => [{ labels: {}, value: bus.isUp() ? 1 : 0 }]);
  metrics.gauge('svc_bus_queue_messages', async () => {
    // Queues of one name with different keys add up.
    const lengths = Map.groupBy(await bus.waiting(), ({ queue }) => queue);
    return [...lengths].map(([queue, all]) => ({
      labels: { queue },
      value: all.reduce((sum, { messages }) => sum + messages, 0),
    }));
  });
}

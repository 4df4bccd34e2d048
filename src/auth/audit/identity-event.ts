import type { App } from '../../app.ts';
import type { Payload } from '../../bus/topics.ts';

/** Says something of identities to the notification channels of a tenant; a bus that is away is logged. */
export async function announce(
  app: App,
  tenantId: string,
  event: Pick<Payload<'svc.e.identity'>, 'kind' | 'message'>,
): Promise<void> {
  const said = { tenantId, ...event, occurTime: app.clock.now() };
  await app.bus.publish('svc.e.identity', said, { key: tenantId }).catch((error: unknown) => {
    app.log.warn({ error, tenantId, kind: event.kind }, 'an event of identities was not published');
  });
}

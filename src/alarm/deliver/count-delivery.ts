import type { App } from '../../kernel/app/app.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { ChannelType, type DeliveryStatus } from '../kind/delivery-status.ts';
import type { StoredChannel } from '../notify/channel/channels.ts';

const REMOVED = 'REMOVED';

/** A counter that began with its first try would hide that one from `increase`. */
export function beginCounting({ metrics }: App): void {
  for (const channel of [...Object.keys(ChannelType), REMOVED])
    for (const outcome of ['SUCCESS', 'RETRY', 'FAILED'] as const)
      metrics.add('svc_notifications_total', { channel, outcome }, 0);
}

/** Counts a try to deliver by the kind of its channel; null where that was removed or disabled. */
export function countDelivery(
  { metrics }: App,
  channel: StoredChannel | null,
  outcome: DeliveryStatus,
): void {
  if (outcome === 'PENDING' || outcome === 'SENT') return;
  const kind = channel ? nameOf(ChannelType, channel.type) : REMOVED;
  metrics.add('svc_notifications_total', { channel: kind, outcome });
}
